/** The types of `trestle-board/node`. */

import type {Session, SessionOptions} from './index.js';

/** Options of node:tls, for a gateway whose certificate is of your own authority: `{ca}`. */
export type TLS = object;

/** Takes an invitation's code, once. A promise of the cookie: keep it as you keep a password. */
export function pair(origin: string, code: string, tls?: TLS): Promise<string>;

/** A session with the gateway at this origin. */
export function connect(given: {origin: string; cookie: string; tls?: TLS} & Partial<Omit<SessionOptions, 'socket' | 'fetch'>>): Session;
