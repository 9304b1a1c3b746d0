// Requests that may be carried out twice: all that reads, and what passes (presence, drags). Each
// is sent again until it is answered, as long as the connection stands; then it ends as
// `notConnected`.

import {codeOf, refusal} from './frames.js';

const PATIENCE = 2000, SLOWEST = 8000;
/** Another daemon of the service takes over: so long until the next try. */
const CHANGE_PAUSE = 400;

export class Questions {
  /** `send` gives a body to the connection. `from`: the number before the first. */
  constructor({client, from = 0, send, clock, timers, random}) {
    Object.assign(this, {client, number: from, sendBody: send, clock, timers, random});
    this.waiting = new Map();
    this.connected = false;
  }

  /** A promise of the reply; it never rejects. `timeoutMs`: then it ends as `timeout`. */
  ask(verb, body, {table, name, timeoutMs = 30000} = {}) {
    if (!this.connected) {
      return Promise.resolve(refusal('notConnected', 'There is no connection.'));
    }
    this.number += 1;
    const number = this.number;
    const request = {client: this.client, number};
    if (name !== undefined) request.name = name;
    if (table !== undefined) request.table = table;
    request[verb] = body;
    return new Promise((resolve) => {
      const one =
        {text: JSON.stringify(request), resolve, timer: null, pause: PATIENCE, until: this.clock() + timeoutMs};
      this.waiting.set(number, one);
      this.transmit(number, one);
    });
  }

  transmit(number, one) {
    if (!this.waiting.has(number)) return;
    if (this.clock() >= one.until) {
      this.end(number, refusal('timeout', 'No answer came.'));
      return;
    }
    this.sendBody(one.text);
    const pause = one.pause * (0.75 + 0.5 * this.random());
    one.pause = Math.min(SLOWEST, one.pause * 2);
    one.timer = this.timers.set(() => this.transmit(number, one), pause);
  }

  /** A reply to this client; whether one waited for it. */
  answered(reply) {
    const one = this.waiting.get(reply.number);
    if (!one) return false;
    if (codeOf(reply) === 'notLeader') this.again(reply.number, one);
    else this.end(reply.number, reply);
    return true;
  }

  /** None of the daemons writes at present, or another one does, to which the gateway goes. */
  again(number, one) {
    one.pause = PATIENCE;
    this.timers.clear(one.timer);
    one.timer = this.timers.set(() => this.transmit(number, one), CHANGE_PAUSE * (0.75 + 0.5 * this.random()));
  }

  end(number, reply) {
    const one = this.waiting.get(number);
    this.waiting.delete(number);
    this.timers.clear(one.timer);
    one.resolve(reply);
  }

  opened() { this.connected = true; }

  closed() {
    this.connected = false;
    for (const number of [...this.waiting.keys()]) {
      this.end(number, refusal('notConnected', 'The connection was lost.'));
    }
  }
}
