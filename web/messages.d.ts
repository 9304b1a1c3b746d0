// Written by Tests/WebTests/types.test.mjs from docs/MESSAGES.md: TRESTLE_WRITE=1 writes it anew.

export interface Command {
  ifRevision?: number;
  ifVersion?: number;
  ifClaimed?: boolean;
  if?: string;
  add?: CommandAdd;
  set?: CommandSet;
  remove?: CommandRemove;
  move?: CommandMove;
  swap?: CommandSwap;
  swipe?: CommandSwipe;
  expand?: CommandExpand;
  define?: CommandDefine;
  section?: CommandSetSection;
  removeSection?: CommandRemoveSection;
  act?: CommandAct;
  edit?: CommandEdit;
  take?: CommandTake;
  release?: CommandRelease;
  finish?: CommandFinish;
  expandAll?: CommandExpandAll;
  item?: CommandItem;
  scroll?: CommandScroll;
  select?: CommandSelect;
  claim?: CommandClaim;
  unclaim?: CommandUnclaim;
  undo?: CommandUndo;
  redo?: CommandRedo;
  recall?: CommandRecall;
  mark?: CommandMark;
  next?: CommandNext;
  each?: CommandEach;
  retry?: CommandRetry;
  snooze?: CommandSnooze;
  pause?: CommandPause;
}

export interface CommandRetry {
  row?: string;
  action?: string;
  item?: string;
}

export interface CommandPause {
  section?: string;
  action?: string;
  note?: string;
  resume?: boolean;
}

export interface CommandSnooze {
  rows?: string[];
  untilMs?: number;
  forMs?: number;
  top?: boolean;
}

export interface CommandNext {
  action?: string;
  section?: string;
  where?: string;
  most?: number;
  ttl?: number;
  note?: string;
  wait?: number;
}

export interface CommandEach {
  where?: string;
  section?: string;
  limit?: number;
  set?: CommandSet;
  remove?: CommandRemove;
  move?: CommandMove;
  act?: CommandAct;
  claim?: CommandClaim;
  recall?: CommandRecall;
  retry?: CommandRetry;
  snooze?: CommandSnooze;
}

export interface CommandMark {
  row?: string;
  item?: string;
}

export interface CommandClaim {
  rows?: string[];
  note?: string;
  ttl?: number;
}

export interface CommandUnclaim {
  rows?: string[];
  holder?: string;
}

export interface CommandUndo {
  revision?: number;
  mine?: boolean;
}

export interface CommandRedo {
  mine?: boolean;
}

export interface CommandRecall {
  rows?: string[];
}

export interface CommandAdd {
  id?: string;
  kind?: string;
  title?: string;
  fields?: Record<string, string>;
  section?: string;
  top?: boolean;
  bottom?: boolean;
  before?: string;
  after?: string;
  actions?: RowActions;
  items?: StripItem[];
  carried?: CommandAddCarried;
  states?: KindState[];
  expand?: string;
  hint?: string;
}

export interface CommandAddCarried {
  createdMs?: number;
  changedMs?: number;
  movedMs?: number;
  performed?: Performance[];
  claim?: RowClaim;
  sleep?: RowSleep;
  cameFrom?: string;
}

export interface CommandSet {
  row?: string;
  title?: string;
  fields?: Record<string, string>;
  unset?: string[];
  kind?: string;
  actions?: RowActions;
  states?: OwnStates;
}

export interface CommandRemove {
  rows?: string[];
  hint?: string;
}

export interface CommandAct {
  row?: string;
  action?: string;
  edge?: string;
  full?: boolean;
  confirmed?: boolean;
  item?: string;
}

export interface CommandEdit {
  on?: boolean;
}

export interface CommandExpandAll {
  open?: boolean;
}

export interface CommandItem {
  row?: string;
  add?: CommandAddItem;
  set?: CommandSetItem;
  remove?: CommandRemoveItems;
  move?: CommandMoveItems;
}

export interface CommandAddItem {
  item?: StripItem;
  anchor?: CommandItemAnchor;
}

export interface CommandSetItem {
  item?: string;
  title?: string;
  fields?: Record<string, string>;
  unset?: string[];
  tap?: StripItemTap;
  kind?: string;
}

export interface CommandRemoveItems {
  items?: string[];
}

export interface CommandMoveItems {
  items?: string[];
  anchor?: CommandItemAnchor;
}

export interface CommandItemAnchor {
  first?: boolean;
  last?: boolean;
  before?: string;
  after?: string;
}

export interface CommandScroll {
  row?: string;
  item?: string;
  fraction?: number;
}

export interface CommandSelect {
  row?: string;
  item?: string;
}

export interface CommandTake {
  action?: string;
  most?: number;
}

export interface CommandRelease {
  invocation?: string;
}

export interface CommandFinish {
  invocation?: string;
  done?: boolean;
  failed?: string;
}

export interface CommandMove {
  rows?: string[];
  section?: string;
  top?: boolean;
  bottom?: boolean;
  before?: string;
  after?: string;
  strict?: boolean;
}

export interface CommandSwap {
  a?: string;
  b?: string;
}

export interface CommandSwipe {
  row?: string;
  edge?: string;
}

export interface CommandExpand {
  row?: string;
  toggle?: boolean;
  to?: string;
}

export interface CommandDefine {
  kinds?: Kind[];
  drop?: string[];
  table?: Settings;
}

export interface CommandSetSection {
  id?: string;
  title?: string;
}

export interface CommandRemoveSection {
  id?: string;
}

export interface Refusal {
  code: string;
  message: string;
  field?: string;
  command?: number;
  endpoints?: string[];
  saying?: Saying;
}

export interface Saying {
  key?: string;
  values?: Record<string, string>;
}

export interface Landing {
  row: string;
  section?: string;
  index?: number;
  after?: string;
  version?: number;
  note?: string;
  saying?: Saying;
}

export interface Diff {
  base?: number;
  digest: string;
  cause?: Cause;
  ops?: Op[];
  digestWord?: string;
}

export interface Cause {
  client?: string;
  number?: number;
  verb?: string;
  name?: string;
  timeMs?: number;
  undoes?: number;
  user?: string;
}

export interface Op {
  insert?: OpInsert;
  remove?: OpRemove;
  move?: OpMove;
  set?: OpSet;
  swipe?: OpSwipe;
  expand?: OpExpand;
  swap?: OpSwap;
  insertSection?: OpInsertSection;
  removeSection?: OpRemoveSection;
  setSection?: OpSetSection;
  define?: OpDefine;
  perform?: OpPerform;
  invoke?: OpInvoke;
  take?: OpTake;
  release?: OpRelease;
  finish?: OpFinish;
  edit?: OpEdit;
  expandAll?: OpExpandAll;
  insertItem?: OpInsertItem;
  removeItem?: OpRemoveItem;
  moveItems?: OpMoveItems;
  setItem?: OpSetItem;
  scroll?: OpScroll;
  select?: OpSelect;
  claim?: OpClaim;
  restore?: OpRestore;
  setInvocation?: OpSetInvocation;
  mark?: OpMark;
  rest?: OpRest;
  sleep?: OpSleep;
  came?: OpCame;
}

export interface OpCame {
  row?: string;
  from?: string;
}

export interface OpRest {
  invocation?: string;
  failure?: InvocationFailure;
}

export interface OpSleep {
  row?: string;
  sleep?: RowSleep;
}

export interface OpMark {
  row?: string;
  selected?: RowSelection;
}

export interface OpClaim {
  row?: string;
  claim?: RowClaim;
}

export interface OpRestore {
  row?: string;
  version?: number;
  performed?: Performance[];
  changedMs?: number;
  movedMs?: number;
}

export interface OpSetInvocation {
  id?: string;
  invocation?: Invocation;
}

export interface OpInsert {
  row?: Row;
  after?: string;
  section?: string;
  hint?: string;
}

export interface OpRemove {
  row?: string;
  hint?: string;
}

export interface OpMove {
  rows?: string[];
  after?: string;
  section?: string;
}

export interface OpSet {
  row?: string;
  title?: string;
  fields?: Record<string, string>;
  unset?: string[];
  kind?: string;
  actions?: RowActions;
  states?: OwnStates;
}

export interface OpSwipe {
  row?: string;
  edge?: string;
}

export interface OpExpand {
  row?: string;
  state?: string;
}

export interface OpSwap {
  a?: string;
  b?: string;
}

export interface OpInsertSection {
  id?: string;
  title?: string;
  after?: string;
}

export interface OpRemoveSection {
  id?: string;
}

export interface OpSetSection {
  id?: string;
  title?: string;
}

export interface OpDefine {
  kinds?: Kind[];
  drop?: string[];
  settings?: Settings;
}

export interface OpPerform {
  row?: string;
  performance?: Performance;
}

export interface OpInvoke {
  invocation?: Invocation;
}

export interface OpTake {
  invocation?: string;
  holder?: string;
}

export interface OpRelease {
  invocation?: string;
}

export interface OpFinish {
  invocation?: string;
  done?: boolean;
  failed?: string;
}

export interface OpEdit {
  on?: boolean;
}

export interface OpExpandAll {
  open?: boolean;
}

export interface OpInsertItem {
  row?: string;
  item?: StripItem;
  after?: string;
}

export interface OpRemoveItem {
  row?: string;
  item?: string;
}

export interface OpMoveItems {
  row?: string;
  items?: string[];
  after?: string;
}

export interface OpSetItem {
  row?: string;
  item?: string;
  title?: string;
  fields?: Record<string, string>;
  unset?: string[];
  tap?: StripItemTap;
  kind?: string;
}

export interface OpScroll {
  row?: string;
  item?: string;
  fraction?: number;
}

export interface OpSelect {
  row?: string;
  item?: string;
}

export interface Row {
  id: string;
  kind: string;
  section?: string;
  index?: number;
  title?: string;
  fields?: Record<string, string>;
  version?: number;
  createdMs?: number;
  expand?: string;
  swipe?: string;
  actions?: RowActions;
  performed?: Performance[];
  items?: StripItem[];
  scroll?: RowScroll;
  changedMs?: number;
  movedMs?: number;
  claim?: RowClaim;
  states?: KindState[];
  selected?: RowSelection;
  sleep?: RowSleep;
  cameFrom?: string;
}

export interface RowSleep {
  untilMs?: number;
  top?: boolean;
}

export interface RowSelection {
  item?: string;
}

export interface RowClaim {
  holder?: string;
  note?: string;
  ttl?: number;
  sinceMs?: number;
}

export interface RowScroll {
  item?: string;
  fraction?: number;
}

export interface OwnStates {
  states?: KindState[];
}

export interface StripItem {
  id: string;
  title?: string;
  fields?: Record<string, string>;
  tap?: StripItemTap;
  kind?: string;
}

export interface StripItemTap {
  effects?: Effect[];
  digest?: string;
}

export interface RowActions {
  leading?: ActionGroup;
  trailing?: ActionGroup;
  digest?: string;
}

export interface Performance {
  action: string;
  state: string;
  reason?: string;
  invocation?: string;
  item?: string;
}

export interface Invocation {
  id: string;
  row: string;
  action: string;
  client?: string;
  pressedMs?: number;
  deadline?: number;
  then?: Effect[];
  holder?: string;
  attempts?: number;
  pressed?: Row;
  digest: string;
  item?: string;
  retries?: Retries;
  failure?: InvocationFailure;
}

export interface InvocationFailure {
  reason?: string;
  dueMs?: number;
  over?: boolean;
}

export interface Retries {
  attempts?: number;
  backoff?: number;
  else?: Effect[];
}

export interface Settings {
  swipePolicy?: string;
  swipeScope?: string;
  expandPolicy?: string;
  look?: Look;
  digest?: string;
  scrollScope?: string;
  expandScope?: string;
  faces?: SettingsSharedFace[];
  dropFaces?: string[];
  motion?: Record<string, number>;
  selection?: string;
  pauses?: SettingsPause[];
  alerts?: SettingsAlert[];
  noAlerts?: boolean;
}

export interface SettingsSharedFace {
  name?: string;
  face?: Face;
}

export interface SettingsAlert {
  on?: string;
  in?: string[];
  kinds?: string[];
  sound?: string;
  repeat?: number;
}

export interface SettingsPause {
  section?: string;
  action?: string;
  actor?: string;
  note?: string;
  sinceMs?: number;
}

export interface Kind {
  id: string;
  height?: number;
  layout?: string;
  margins?: KindMargins;
  states?: KindState[];
  initial?: string;
  strip?: boolean;
  canMove?: boolean;
  canDelete?: boolean;
  pinned?: boolean;
  ages?: KindAges;
  tap?: Effect[];
  leading?: ActionGroup;
  trailing?: ActionGroup;
  digest: string;
  clear?: string[];
  appearance?: KindAppearance[];
  items?: ItemKind[];
  spacing?: number;
  page?: string;
  dropItems?: string[];
  editingStyle?: string;
  tapRepeat?: boolean;
  show?: KindShow;
  emphasis?: KindEmphasis[];
  form?: string[];
}

export interface KindShow {
  title?: string;
  line?: KindShowParts;
  badge?: string;
  detail?: string[];
  hide?: string[];
  as?: Record<string, string>;
  wrap?: number;
  group?: string;
  color?: string;
}

export interface KindShowParts {
  parts?: string[];
}

export interface KindEmphasis {
  when?: string;
  field?: string;
  background?: string;
  color?: string;
  icon?: string;
}

export interface KindAppearance {
  state?: string;
  background?: string;
  alpha?: number;
  tint?: string;
}

export interface KindMargins {
  text?: number;
  bottom?: number;
}

export interface KindState {
  name?: string;
  height?: number;
}

export interface KindAges {
  warn?: number;
  late?: number;
  in?: string[];
  since?: string;
}

export interface ItemKind {
  name?: string;
  width?: number;
  height?: number;
  layout?: string;
  fields?: ItemKindShown;
  badge?: string;
  tap?: Effect[];
  menu?: Action[];
  tapRepeat?: boolean;
}

export interface ItemKindShown {
  keys?: string[];
}

export interface ActionGroup {
  look?: Look;
  compatible?: boolean;
  fullSwipe?: boolean;
  actions?: Action[];
  clear?: string[];
  background?: string;
  gap?: number;
}

export interface Look {
  style?: string;
  width?: number;
  intrinsic?: boolean;
  spacing?: number;
  insets?: number[];
  clear?: string[];
  faceWidth?: boolean;
}

export interface Action {
  id?: string;
  title?: string;
  role?: string;
  icon?: string;
  background?: string;
  foreground?: string;
  look?: Look;
  face?: Face;
  hidesWhenSelected?: boolean;
  confirm?: boolean;
  effect?: Effect[];
  repeat?: boolean;
  when?: string;
  unless?: string;
}

export interface Face {
  vertical?: FaceStack;
  horizontal?: FaceStack;
  icon?: string;
  text?: string;
  spacer?: number;
  size?: number;
  weight?: string;
  color?: string;
  align?: string;
  spacing?: number;
  insets?: number[];
  image?: FaceImage;
  face?: string;
  family?: string[];
  italic?: boolean;
}

export interface FaceStack {
  parts?: Face[];
}

export interface FaceImage {
  path?: string;
  png?: string;
  grid?: number[];
  template?: boolean;
}

export interface Effect {
  remove?: boolean;
  move?: EffectMove;
  set?: EffectFields;
  expand?: string;
  invoke?: EffectInvoke;
  fill?: EffectFields;
  increment?: EffectIncrement;
  removeItem?: boolean;
  setItem?: EffectFields;
  snooze?: EffectSnooze;
  unset?: EffectKeys;
  kind?: string;
  moveBack?: boolean;
  group?: EffectEffects;
}

export interface EffectKeys {
  keys?: string[];
}

export interface EffectEffects {
  effects?: Effect[];
}

export interface EffectSnooze {
  forMs?: number;
  top?: boolean;
}

export interface EffectIncrement {
  by?: Record<string, number>;
}

export interface EffectFields {
  fields?: Record<string, string>;
}

export interface EffectMove {
  section?: string;
  top?: boolean;
  bottom?: boolean;
  before?: string;
  after?: string;
}

export interface EffectInvoke {
  deadline?: number;
  then?: Effect[];
  retries?: Retries;
}
