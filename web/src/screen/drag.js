/** A row that is held and moved: a lease of the table, and a picture of the row under the finger. */
import { el, setText } from "./dom.js";
import { isReduced } from "./motion.js";
import { putDownSaid } from "./says.js";

const ZONE = 72;

/** Lifts a row. Gives the gesture, {move, release, cancel}. */
export class RowDrag {
  constructor(board, view, at) {
    this.board = board;
    this.view = view;
    // The table may be gone when the row is put back.
    this.motion = view.motion;
    this.id = view.id;
    this.row = view.row;
    this.ended = false;
    this.place = null;
    this.x = at.clientX;
    this.y = at.clientY;
    const box = view.element.getBoundingClientRect();
    this.offset = { x: this.x - box.left, y: this.y - box.top };
    this.box = box;
    view.held += 1;
    view.swipe.settle(null);
    this.float(box);
    navigator.vibrate?.(20);
    this.lift();
    this.frame = requestAnimationFrame((time) => this.step(time));
    board.say(`Lifted ${this.row.title || this.id}. Move it, and let go where it belongs.`);
  }

  float(box) {
    const { motion } = this;
    const picture = this.view.slide.cloneNode(true);
    for (const one of picture.querySelectorAll("button")) one.remove();
    picture.style.transform = "";
    this.element = el("div", { class: "floating", "aria-hidden": "true" }, picture);
    const style = this.element.style;
    style.width = `${box.width}px`;
    style.height = `${box.height}px`;
    style.transition = isReduced() ? "none" : `scale ${motion.lift}s, opacity ${motion.lift}s, box-shadow ${motion.lift}s`;
    document.body.append(this.element);
    this.position();
    requestAnimationFrame(() => {
      style.scale = String(motion.liftedScale);
      style.opacity = String(motion.liftedAlpha);
      style.boxShadow =
        `${motion.shadowX}px ${motion.shadowY}px ${motion.shadowRadius * 2}px rgb(0 0 0 / ${motion.shadowOpacity})`;
    });
    this.view.element.classList.toggle("away", motion.hidesLifted !== 0);
  }

  position() {
    // By its own property: a transform would be scaled along with the row.
    this.element.style.translate = `${this.x - this.offset.x}px ${this.y - this.offset.y}px`;
  }

  /** Asks for the lease. A refusal puts the row back, with the reason. */
  async lift() {
    const answer = await this.board.follow.lift([this.id]);
    if (!answer.ok) {
      this.board.refused(answer.error);
      this.finish();
      return;
    }
    this.lease = answer.drag;
    this.lease.ended.then((end) => this.leaseEnded(end));
    if (this.ended) this.settle();
    else if (this.place) this.lease.hover(this.place.place);
  }

  /** The lease ended: by our drop, or because somebody removed the row, or its time was over. */
  leaseEnded(end) {
    if (this.ended) return;
    this.board.news(putDownSaid(end?.reason), { kind: "refused" });
    this.finish();
  }

  move(x, y) {
    if (this.ended) return;
    this.x = x;
    this.y = y;
    this.position();
    this.aim();
  }

  aim() {
    const list = this.board.listAt(this.x, this.y);
    const found = list?.placeAt(this.y) ?? null;
    const changed = JSON.stringify(found?.place) !== JSON.stringify(this.place?.place);
    this.place = found;
    this.list = list;
    this.board.landing(list, found);
    if (changed && found && this.lease?.active) this.lease.hover(found.place);
  }

  /** Near an end of the column it scrolls by itself, the faster the nearer. */
  step(time) {
    if (this.ended) return;
    const seconds = Math.min(0.05, (time - (this.last ?? time)) / 1000);
    this.last = time;
    const list = this.board.listAt(this.x, this.y);
    if (list) {
      const frame = list.element.getBoundingClientRect();
      const up = frame.top + ZONE - this.y;
      const down = this.y - (frame.bottom - ZONE);
      const pace = up > 0 ? -Math.min(up, ZONE) : down > 0 ? Math.min(down, ZONE) : 0;
      if (pace) {
        this.rest = (this.rest ?? 0) + pace * 14 * seconds;
        const whole = Math.trunc(this.rest);
        this.rest -= whole;
        if (whole) {
          list.element.scrollTop += whole;
          this.aim();
        }
      }
    }
    this.frame = requestAnimationFrame((next) => this.step(next));
  }

  release() {
    if (this.ended) return;
    this.ended = true;
    this.wanted = this.place && this.list ? this.place.place : null;
    if (this.wanted && this.board.isThere(this.id, this.place)) this.wanted = null;
    this.settle();
  }

  /** Puts the row back. `why`: it was not the finger that let go. */
  cancel(why) {
    if (this.ended) return;
    this.ended = true;
    this.wanted = null;
    if (why) this.board.news(putDownSaid(why), { kind: "refused" });
    this.settle();
  }

  /** Let go: exactly one drop, or one cancel, as soon as there is a lease. */
  async settle() {
    this.board.landing(null, null);
    cancelAnimationFrame(this.frame);
    if (!this.lease) return;
    if (!this.settled) {
      this.settled = true;
      if (!this.wanted) {
        this.lease.cancel();
        this.board.say("Put back.");
      } else {
        const reply = await this.lease.drop(this.wanted);
        if (!reply.ok) this.board.refused(reply.error);
        else {
          await this.board.shown(reply.revision);
          this.board.undoable("moved", this.row.title || this.id, reply.revision);
        }
      }
    }
    this.land();
  }

  /** The picture goes to where the row is now. */
  land() {
    if (this.landed) return;
    this.landed = true;
    const box = this.board.boxOf(this.id);
    const seconds = isReduced() ? 0 : this.motion.drop;
    const style = this.element.style;
    if (box && seconds > 0) {
      style.transition = `translate ${seconds}s, scale ${seconds}s, opacity ${seconds}s, box-shadow ${seconds}s`;
      style.translate = `${box.left}px ${box.top}px`;
      style.scale = "1";
      style.opacity = "1";
      style.boxShadow = "none";
    }
    setTimeout(() => this.clear(), box ? seconds * 1000 : 0);
  }

  clear() {
    this.element.remove();
    this.view.element.classList.remove("away");
    this.view.held = Math.max(0, this.view.held - 1);
    this.board.letGo(this.view);
  }

  /** Ends without asking the table: it has ended there already. */
  finish() {
    this.ended = true;
    this.settled = true;
    this.board.landing(null, null);
    cancelAnimationFrame(this.frame);
    this.land();
  }
}

/** Draws where others would put what they hold: a line at the place, with their name. */
export function drawGhosts(list, leases, kept) {
  const wanted = new Map();
  for (const lease of leases) {
    if (lease.mine) continue;
    const y = list.lineOf(lease);
    const has = lease.before ?? lease.after ?? lease.top ?? lease.bottom;
    if (y !== null && y !== undefined && has !== undefined) wanted.set(lease.lease, { y, lease });
  }
  for (const [id, ghost] of kept) {
    if (wanted.has(id)) continue;
    ghost.remove();
    kept.delete(id);
  }
  for (const [id, { y, lease }] of wanted) {
    let ghost = kept.get(id);
    if (!ghost) {
      ghost = el("div", { class: "ghost", "aria-hidden": "true" }, el("span", {}));
      kept.set(id, ghost);
    }
    if (ghost.parentElement !== list.stage) list.stage.append(ghost);
    setText(ghost.firstChild, lease.rows.length > 1 ? `${lease.holder} · ${lease.rows.length}` : lease.holder);
    ghost.style.transform = `translateY(${(y - list.base) * list.scale}px)`;
  }
}
