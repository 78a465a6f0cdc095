// Reports that the server has not acknowledged yet. Each is kept in this browser under its idempotency key,
// is sent until it is answered, and goes only then: through a lost connection, a reload and a closed tab.
// A report that was sent once keeps its content, so that sending it again is the same request.

const WAITS = [1000, 2000, 4000, 8000, 15000, 30000]; // milliseconds between tries
const TIMEOUT = 15000;

class Shelf {
  // localStorage, or memory where a browser keeps nothing.
  constructor(prefix) {
    this.prefix = prefix;
    this.memory = new Map();
    this.isKept = true;
  }
  put(key, value) {
    const text = JSON.stringify(value);
    this.memory.set(key, text);
    try {
      localStorage.setItem(this.prefix + key, text);
    } catch {
      this.isKept = false;
    }
  }
  remove(key) {
    this.memory.delete(key);
    try {
      localStorage.removeItem(this.prefix + key);
    } catch {
      this.isKept = false;
    }
  }
  all() {
    const found = new Map(this.isKept ? [] : this.memory);
    try {
      for (const name of Object.keys(localStorage)) {
        if (name.startsWith(this.prefix)) found.set(name.slice(this.prefix.length), localStorage.getItem(name));
      }
    } catch {
      this.isKept = false;
    }
    const read = [];
    for (const [key, text] of found) {
      try {
        read.push([key, JSON.parse(text)]);
      } catch {
        this.remove(key); // not ours
      }
    }
    return read;
  }
}

const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (n) => n.toString(16).padStart(2, "0")).join("");

export class Outbox extends EventTarget {
  constructor(box) {
    super();
    const { outbox, author, path, csrf } = box.dataset;
    // Of this campaign and author only: another store may be served at the same address tomorrow.
    // Names may hold colons, which would make the outbox of "Shift" begin as that of "Shift:2" does.
    const whose = `${encodeURIComponent(outbox)}:${encodeURIComponent(author)}`;
    this.drafts_ = new Shelf(`allotment:report:${whose}:`);
    this.typed = new Shelf(`allotment:typed:${whose}:`);
    this.path = path;
    this.csrf = csrf;
    this.state = "idle"; // "sending", "waiting" for a connection, or "signed out"
    this.tries = 0;
    this.timer = null;
    addEventListener("online", () => this.wake());
    addEventListener("pageshow", () => this.wake());
    document.addEventListener("visibilitychange", () => document.hidden || this.wake());
    addEventListener("storage", () => this.changed());
  }

  get isKept() {
    return this.drafts_.isKept;
  }

  drafts() {
    return this.drafts_.all().map(([, draft]) => draft).sort((a, b) => a.made - b.made || a.count - b.count);
  }

  of(plan, place) {
    return this.drafts().filter((each) => each.plan === plan && each.places.includes(place));
  }

  // Keep a report and send it. An earlier one of the same place that was never sent becomes part of it.
  add(draft, isFurther = false) {
    const earlier = draft.places.length === 1 && !isFurther ? this.of(draft.plan, draft.places[0]) : [];
    for (const each of earlier.filter((one) => one.places.length === 1 && (!one.tried || one.problem))) {
      if (!each.problem) draft = merged(each, draft);
      this.drafts_.remove(each.key);
    }
    this.count = (this.count ?? 0) + 1;
    const made = { key: newKey(), made: Date.now(), count: this.count, tried: false, problem: null, ...draft };
    this.drafts_.put(made.key, made);
    this.changed();
    this.wake();
    return made;
  }

  drop(draft) {
    this.drafts_.remove(draft.key);
    this.changed();
  }

  wake() {
    clearTimeout(this.timer);
    this.tries = 0;
    return this.send();
  }

  changed() {
    this.dispatchEvent(new Event("change"));
  }

  async send() {
    if (this.isSending) return;
    this.isSending = true;
    try {
      for (let next = this.next(); next; next = this.next()) {
        if (!(await this.sendOne(next))) return;
        this.tries = 0;
      }
      this.state = "idle";
    } finally {
      this.isSending = false;
      this.changed();
    }
  }

  next() {
    return this.drafts().find((each) => !each.problem);
  }

  // Whether the server answered, so that the next report may follow.
  async sendOne(draft) {
    draft.tried = true;
    this.drafts_.put(draft.key, draft); // before it is sent: from now on its content stays
    if (this.state !== "waiting") this.state = "sending";
    this.changed();
    let answer, said;
    try {
      answer = await fetch(`${this.path}/report/${encodeURIComponent(draft.plan)}/entries`, {
        method: "POST",
        body: bodyOf(draft),
        headers: { "x-csrf-token": this.csrf, accept: "application/json" },
        signal: AbortSignal.timeout(TIMEOUT),
        redirect: "error",
      });
      said = answer.headers.get("content-type")?.includes("json") ? await answer.json() : {};
    } catch {
      return this.wait("waiting");
    }
    if (answer.status === 403) return this.wait("signed out");
    if (answer.status >= 500) return this.wait("waiting");
    this.state = "sending";
    const ok = answer.ok && said.taken === true;
    if (ok) {
      this.drafts_.remove(draft.key);
      this.follow(draft.plan, said.rows);
    } else if (draft.keep && said.rows) {
      this.drafts_.remove(draft.key); // others reported all of these places
    } else {
      const sentence = said.sentence ?? "This report was not taken. Open the page again.";
      this.drafts_.put(draft.key, { ...draft, problem: { sentence, overtaken: said.overtaken ?? null } });
    }
    this.dispatchEvent(new CustomEvent("answer", { detail: { draft, said, ok } }));
    this.changed();
    return true;
  }

  // Later reports of the same places were made by someone who knew what was just recorded.
  follow(plan, rows) {
    const events = new Map(rows.map((row) => [row.place, row.event]));
    for (const each of this.drafts()) {
      if (each.plan === plan && !each.tried && events.has(each.places[0])) {
        this.drafts_.put(each.key, { ...each, knew: events.get(each.places[0]) });
      }
    }
  }

  wait(state) {
    this.state = state;
    if (state === "waiting") {
      this.timer = setTimeout(() => this.send(), WAITS[Math.min(this.tries, WAITS.length - 1)]);
      this.tries += 1;
    }
    return false;
  }
}

// Two reports of one place as one: the later words count, and what it does not speak of stays.
function merged(earlier, later) {
  const both = { ...later, before: earlier.before };
  if (!later.saysLosses) Object.assign(both, { saysLosses: earlier.saysLosses, losses: earlier.losses });
  const withdraws = both.saysLosses && both.losses === null;
  if (later.amount === null && !withdraws) both.amount = earlier.amount;
  return both;
}

function bodyOf(draft) {
  const body = new URLSearchParams({ key: draft.key, knew: String(draft.knew) });
  for (const place of draft.places) body.append("place", place);
  if (draft.saysLosses) body.set("says_losses", "1");
  if (draft.losses !== null) body.set("losses", String(draft.losses));
  if (draft.amount !== null) body.set("amount", draft.amount);
  if (draft.keep) body.set("keep", "1");
  return body;
}

function linkTo(path, label) {
  const link = document.createElement("a");
  link.href = path;
  link.textContent = label;
  return link;
}

// A line on any page: how many reports are not sent yet. `here` is the plan whose places show it themselves.
export function sendWaitingReports(here = null) {
  const box = document.querySelector("[data-outbox]");
  if (!box) return null;
  const outbox = new Outbox(box);
  const show = () => {
    const drafts = outbox.drafts();
    const elsewhere = drafts.filter((each) => each.plan !== here);
    const said = [];
    if (outbox.state === "signed out" && drafts.length) {
      said.push("You are signed out. Your reports are kept in this browser. Sign in and open this page again to send them. ");
    } else if (elsewhere.length) {
      const plans = [...new Set(elsewhere.map((each) => each.plan))];
      said.push(`Reports of plan ${plans.join(", ")} are not sent yet. `);
      const undecided = elsewhere.find((each) => each.problem)?.plan;
      if (undecided) said.push("One needs a decision. ", linkTo(`${outbox.path}/report/${undecided}`, `Open plan ${undecided}`), ". ");
    }
    if (!outbox.isKept && drafts.length) said.push("This browser keeps nothing: leave the page open until all is saved.");
    box.replaceChildren(...said);
    box.hidden = !said.length;
  };
  outbox.addEventListener("change", show);
  show();
  outbox.wake();
  return outbox;
}
