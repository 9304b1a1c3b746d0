/**
 * Node lacks a WebSocket with a cookie, which a browser has. `import {connect, pair} from 'trestle-board/node'`.
 * It is a client of the gateway, so it takes what RFC 6455 asks of one, and no extensions.
 */
import {createHash, randomBytes} from 'node:crypto';
import {request as httpRequest} from 'node:http';
import {request as httpsRequest} from 'node:https';

import {LONGEST} from './sync/frames.js';
import {openSession} from './sync/session.js';

const ACCEPT = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const TEXT = 1, CLOSE = 8, PING = 9, PONG = 10;

function ask(url, options) { return (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options); }

/** Takes an invitation's code. A promise of the cookie: keep it, for it is what the program is let in by. */
export function pair(origin, code, tls = {}) {
  return new Promise((resolve, reject) => {
    const headers = {'Content-Type': 'application/json', 'Origin': origin};
    const asked = ask(new URL('/pair', origin), {method: 'POST', headers, ...tls});
    asked.on('response', (response) => {
      response.resume();
      const cookie = response.headers['set-cookie']?.[0]?.split(';')[0];
      if (response.statusCode === 200 && cookie) resolve(cookie);
      else reject(new Error(`the gateway did not take the invitation: ${response.statusCode}`));
    });
    asked.on('error', reject);
    asked.end(JSON.stringify({code}));
  });
}

/** Cuts what arrives into frames; whole messages go to `message`. What is no frame of a server ends it. */
class Frames {
  constructor(heard) {
    this.heard = heard;
    this.buffer = Buffer.alloc(0);
    this.parts = [];
    this.size = 0;
  }

  /** False: this is nothing that a server may send. */
  take(data) {
    this.buffer = this.buffer.length ? Buffer.concat([this.buffer, data]) : data;
    for (;;) {
      const {buffer} = this;
      if (buffer.length < 2) return true;
      const short = buffer[1];
      const head = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (buffer[0] & 0x70 || short&0x80) return false;
      if (buffer.length < head) return true;
      const length = head === 2 ? short : head === 4 ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2));
      if (length + this.size > LONGEST) return false;
      if (buffer.length < head + length) return true;
      this.buffer = buffer.subarray(head + length);
      this.frame(buffer[0] & 15, Boolean(buffer[0] & 0x80), buffer.subarray(head, head + length));
    }
  }

  frame(kind, isLast, data) {
    if (kind >= CLOSE) {
      this.heard(kind, data);
      return;
    }
    this.parts.push(data);
    this.size += data.length;
    if (!isLast) return;
    const whole = this.parts.length === 1 ? data : Buffer.concat(this.parts);
    this.parts = [];
    this.size = 0;
    this.heard(TEXT, whole);
  }
}

function frameOf(kind, data) {
  const length = data.length, long = length > 65535 ? 8 : length > 125 ? 2 : 0;
  const head = Buffer.alloc(2 + long);
  head[0] = 0x80 | kind;
  head[1] = 0x80 | (long === 8 ? 127 : long === 2 ? 126 : length);
  if (long === 8) head.writeBigUInt64BE(BigInt(length), 2);
  else if (long === 2) head.writeUInt16BE(length, 2);
  const mask = randomBytes(4), masked = Buffer.from(data);
  for (let at = 0; at < length; at++) masked[at] ^= mask[at & 3];
  return Buffer.concat([head, mask, masked]);
}

/** The part of a WebSocket that a session needs. */
class Socket {
  constructor(url, protocol, {cookie, tls}) {
    const key = randomBytes(16).toString('base64'), target = new URL(url);
    target.protocol = target.protocol.replace('ws', 'http');
    this.onmessage = this.onclose = this.onerror = null;
    this.link = null;
    const headers = {
      'Connection': 'Upgrade',
      'Upgrade': 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': key,
      'Sec-WebSocket-Protocol': protocol,
      'Origin': target.origin,
      'Cookie': cookie,
    };
    this.asked = ask(target, {headers, ...tls});
    this.asked.on('error', () => this.ended());
    this.asked.on('response', (response) => {
      response.resume();
      this.ended();
    });
    this.asked.on('upgrade', (response, link, first) => {
      const accept = createHash('sha1').update(key + ACCEPT).digest('base64');
      if (response.headers['sec-websocket-accept'] !== accept) link.destroy();
      this.opened(link, first);
    });
    this.asked.end();
  }

  opened(link, first) {
    this.link = link;
    const frames = new Frames((kind, data) => this.heard(kind, data));
    const take = (data) => {
      if (!frames.take(data)) link.destroy();
    };
    link.on('data', take);
    link.on('error', () => {});
    link.on('close', () => this.ended());
    if (first.length) take(first);
  }

  heard(kind, data) {
    if (kind === TEXT) this.onmessage?.({data: data.toString()});
    else if (kind === PING) this.link.write(frameOf(PONG, data));
    else if (kind === CLOSE) this.close();
  }

  send(text) {
    if (!this.link) throw new Error('it is not open');
    this.link.write(frameOf(TEXT, Buffer.from(text)));
  }

  close() {
    if (this.link) this.link.end(frameOf(CLOSE, Buffer.alloc(0)));
    else this.asked.destroy();
  }

  ended() {
    const {onclose} = this;
    this.onmessage = this.onclose = this.onerror = null;
    onclose?.({});
  }
}

/** A session with the gateway at this origin, as `openSession` gives it. Snapshots come by its socket. */
export function connect({origin, cookie, tls = {}, ...more}) {
  const url = new URL('/socket', origin);
  url.protocol = url.protocol.replace('http', 'ws');
  const socket = (where, protocol) => new Socket(where, protocol, {cookie, tls});
  return openSession({url: url.href, socket, fetch: null, ...more});
}
