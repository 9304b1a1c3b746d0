/** The types of `trestle-board`. web/README.md says what each part is for. Tests/WebTests/types.test.mjs holds them against the code. */

import type {Cause, Command, Diff, Invocation, Kind, Landing, Refusal, Row, Settings} from './messages.js';

export type {Cause, Command, Diff, Invocation, Kind, Landing, Refusal, Row, Settings};

// The session.

export interface Reply {
  ok: boolean;
  revision?: number;
  unchanged?: boolean;
  rows?: Landing[];
  invocations?: Invocation[];
  error?: Refusal;
  [part: string]: unknown;
}

/** Where commands are kept until they are answered. */
export interface Storage {
  put(record: {key: string}): Promise<unknown>;
  remove(key: string): Promise<unknown>;
  has(key: string): Promise<boolean>;
  all(): Promise<object[]>;
  hold(name: string): Promise<boolean>;
}

/** The part of a WebSocket that a session needs. */
export interface SocketLike {
  send(text: string): void;
  close(): void;
  onmessage: ((event: {data: string}) => void) | null;
  onclose: ((event: object) => void) | null;
  onerror: ((event: object) => void) | null;
}

export interface SessionOptions {
  url: string;
  socket?: (url: string, protocol: string) => SocketLike;
  /** null: snapshots come by the socket. */
  fetch?: ((path: string, more?: object) => Promise<unknown>) | null;
  storage?: Storage;
  now?: () => number;
  clock?: () => number;
  timers?: {set(f: () => void, ms: number): unknown; clear(timer: unknown): void};
  random?: () => number;
  /** A turn of the event loop. Without it, by MessageChannel, and by a timer where there is none. */
  turn?: () => Promise<void>;
  name?: string;
  assets?: string;
}

export interface SessionEvent {
  kind: 'device' | 'clock' | 'connection' | 'table' | 'freshness' | 'presence' | 'pending' | 'outcome' | 'carriedOut' |
    'ended';
  table?: string;
  /** Of `carriedOut`: what an earlier page had sent. */
  command?: object;
}

export interface Session {
  readonly device: {device: string; role: string; tables: string[] | null; prefix: string; hello: object | null} | null;
  readonly connection: 'connecting' | 'open' | 'waiting' | 'ended';
  readonly ended: {code: string; message: string} | null;
  readonly isTurnedAway: boolean;
  readonly newAssets: boolean;
  readonly clockAhead: number;
  onChange(f: (event: SessionEvent) => void): () => void;
  tables(): Promise<Reply>;
  ask(verb: string, body: object, table?: string, timeoutMs?: number): Promise<Reply>;
  follow(name: string): Board;
  now(): number;
  isMine(cause: Cause): boolean;
  woke(): void;
  close(): void;
}

export function openSession(options: SessionOptions): Session;
export function memoryStorage(shared?: {records?: Map<string, object>; holds?: Map<string, object>; page?: object}): Storage;
export function browserStorage(name?: string): Promise<Storage>;

// A board.

export interface Freshness {
  state: 'live' | 'catchingUp' | 'stale' | 'disconnected' | 'absent' | 'forbidden';
  sinceMs?: number;
  why?: string;
  behind?: number;
}

export type Place = {top: true; section?: string} | {bottom: true; section?: string} | {before: string} | {after: string};

export interface Changed {
  diff: Diff;
  revision: number;
  cause: Cause;
  rows: {id: string; before: Row | null; after: Row | null; from?: string; to?: string; moved: boolean; hint?: string}[];
  what: Set<'sections' | 'definitions' | 'editing' | 'invocations'>;
}

export interface Drag {
  readonly active: boolean;
  readonly ended: Promise<{dropped: boolean; reply?: Reply; reason: string}>;
  hover(place: Place): void;
  drop(place: Place): Promise<Reply>;
  cancel(): void;
}

export interface Pending {
  number: number;
  verb: string;
  command?: Command;
  sinceMs: number;
  state: 'sending' | 'waiting' | 'diskFull' | 'changing';
  taken: boolean;
}

export interface Outcome {
  request: object;
  about: string;
  code: 'unknown';
  message: string;
  sinceMs: number;
}

/** The conditions of a command: it is refused as `stale` or `notClaimed` where they do not hold. */
export interface Conditions {
  ifRevision?: number;
  ifVersion?: number;
  ifClaimed?: true;
  if?: string;
}

export interface Board {
  readonly name: string;
  readonly table: Table | null;
  readonly counts: Record<string, number>;
  readonly relation: '' | 'same' | 'extend' | 'rolledBack' | 'diverged' | 'compacted';
  readonly pending: Pending[];
  readonly outcomes: Outcome[];
  readonly presence: {viewers: object[]; leases: object[]};
  freshness(): Freshness;
  send(command: Command, more?: Conditions & {batch?: (Command & Conditions)[]}): Promise<Reply>;
  undo(body?: {revision?: number; mine?: boolean}): Promise<Reply>;
  redo(body?: {mine?: boolean}): Promise<Reply>;
  recall(rows: string[]): Promise<Reply>;
  history(filters?: object): Promise<Reply>;
  who(): Promise<Reply>;
  dismiss(outcome: Outcome): void;
  lift(rows: string[], ttl?: number): Promise<{ok: true; drag: Drag} | {ok: false; error: Refusal}>;
  onDiffs(f: (changed: Changed[]) => void): () => void;
  onReset(f: (event: {why: string}) => void): () => void;
  onEnded(f: (event: {lease: string; reason: string; dropped: boolean; mine: boolean}) => void): () => void;
  close(): void;
}

// The replica.

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly count: number;
  readonly rows: readonly Row[];
}

export class Table {
  constructor(name?: string);
  readonly name: string;
  readonly revision: number;
  readonly history: string;
  readonly epoch: string;
  readonly digest: string;
  readonly editing: boolean;
  readonly settings: Settings;
  readonly kinds: Map<string, Kind>;
  readonly invocations: Map<string, Invocation>;
  readonly sections: Section[];
  readonly size: number;
  readonly selection: {row: string; item?: string} | null;
  row(id: string): Row | undefined;
  sectionOf(id: string): string | undefined;
  indexOf(id: string): number;
  kindOf(row: Row): Kind | undefined;
}

/** A field of a row or an item, by its key, whatever the key is called. */
export function fieldOf(thing: {fields?: Record<string, string>}, key: string): string | undefined;

export class BadPredicate extends Error {
  constructor(offset: number, message: string);
  readonly offset: number;
}

export interface Moment {
  nowMs: number;
  zoneSeconds: number;
}

export function predicate(text: string): (table: Table, clock?: Moment) => boolean;
export function rowPredicate(text: string): ((table: Table, clock?: Moment) => string[]) & {readonly isTimed: boolean};

// The layout. Lengths are points.

export type Profile = 'point' | 'cell';

export interface ShownRow {
  id: string;
  row: Row;
  section: string;
  index: number;
  y: number;
  above: number;
  height: number;
  state: string;
}

export class TableLayout {
  constructor(table: Table, options: {
    width: number; profile?: Profile; sections?: string[]; head?: number; shown?: (row: Row) => Row; above?: (id: string) => number
  });
  readonly contentHeight: number;
  readonly spans: {section: string; title: string; count: number; y: number; height: number}[];
  reset(table: Table): void;
  resize(width: number): void;
  forget(id: string): void;
  measure(most: number): number;
  visible(y: number, height: number): ShownRow[];
  heads(y: number, height: number): {section: string; title: string; count: number; y: number; height: number}[];
  rowAt(y: number): ShownRow | null;
  offsetOf(id: string): number | null;
  heightOf(id: string): number | null;
  anchor(y: number): object;
  restore(anchor: object): number;
}

export interface Line {
  part: 'title' | 'field';
  key?: string;
  text: string;
  x: number;
  y: number;
  width: number;
  height: number;
  size: number;
}

export function rowContent(row: Row, kind: Kind | undefined, width: number, profile?: Profile, clock?: object):
    {lines: Line[]; alpha: number; appearance: {background: string; tint: string; alpha: number} | null};
export function rowFace(row: Row, kind: Kind | undefined, clock?: object): object;
export function parseState(text: string): unknown;

export interface Swiped {
  table: Table;
  row: Row;
  edge: 'leading' | 'trailing';
  profile?: Profile;
  nowMs?: number;
}

export interface SwipeFrames {
  edge: 'leading' | 'trailing';
  pull: number;
  rest: number;
  full: boolean;
  actions: {id: string; hit: [number, number, number, number]; face: [number, number, number, number]; radius: number}[];
}

export function swipeFrames(given: Swiped & {height: number; width: number; pull?: number}): SwipeFrames | null;
export function restOf(given: Swiped): number;
export function pullFor(given: {dragged: number; rest: number; width: number; full: boolean}): number;
export function announces(given: {pull: number; rest: number; width: number; full: boolean}): boolean;
export function release(given: {pull: number; velocity?: number; rest: number; width: number; full: boolean}):
    'open' | 'close' | 'perform';

export interface Strip {
  offset: number;
  contentWidth: number;
  visibleWidth: number;
  items: {id: string; x: number; y: number; width: number; height: number}[];
}

export function stripLayout(given: {
  table: Table; row: Row; width: number; height: number; kind?: Kind; scroll?: object; profile?: Profile;
}): Strip | null;
export function stripEnd(strip: Strip): number;
export function stripRest(strip: Strip, offset: number): number;
export function stripPage(strip: Strip, from: number, direction: number): number;
export function scrollOf(strip: Strip, offset: number): {item: string; fraction: number};

export function motionOf(settings: Settings): Record<string, number>;
export function ages(row: Row, kind: Kind | undefined, nowMs: number, section?: string):
    {ms: number; level: '' | 'warn' | 'late'; text: string};

export function textWidth(text: string, size: number, profile?: Profile): number;
export function wrap(text: string, width: number, size: number, profile?: Profile): string[];
/** The text as it is drawn: controls and marks of direction are spelled out. */
export function shown(text: string): string;
