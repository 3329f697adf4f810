// Sends the page's forms without leaving it: tells what is going on, then shows the answer.
// Without this script the browser sends the same forms and loads the same pages.
"use strict";
(() => {
  const LINES = "application/x-ndjson";
  const PARTS = ["log", "asking", "day"];
  const MINUTE_MS = 60 * 1000;
  const TOAST_MS = 8 * 1000;
  const find = (id) => document.getElementById(id);
  let running = null;
  let shownAt = Date.now();

  class Refusal extends Error {}

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post" || form.getAttribute("action") === "/logout") return;
    event.preventDefault();
    if (!running) send(form, event.submitter);
  });

  document.addEventListener("click", (event) => {
    if (event.target.id === "stop" && running) running.abort();
  });

  // An open page shows the day as it is now, and leaves alone what somebody is at.
  const isBusy = () =>
    running || find("why") || getSelection().toString() || find("day").contains(document.activeElement);
  const refresh = () => {
    if (document.hidden || isBusy() || Date.now() - shownAt < MINUTE_MS) return;
    fetch(`/${location.search}`).then((answer) => isBusy() || put(answer)).catch(() => {});
  };
  setInterval(refresh, MINUTE_MS);
  document.addEventListener("visibilitychange", refresh);

  async function send(form, button) {
    const body = new URLSearchParams(new FormData(form, button));
    running = new AbortController();
    busy(true);
    const said = body.has("text") && say(body.get("text"));
    try {
      const answer = await fetch(form.getAttribute("action"), {
        method: "POST",
        body,
        headers: { Accept: LINES },
        signal: running.signal,
      });
      const isStream = (answer.headers.get("Content-Type") || "").startsWith(LINES);
      const places = placesOf(button);
      if (await put(isStream ? await follow(answer) : answer)) settle(button, places);
      tell("");
    } catch (error) {
      if (said) said.remove();
      const why = error instanceof Refusal ? error.message : find("status").dataset.failed;
      tell(running.signal.aborted ? find("status").dataset.stopped : why);
    } finally {
      running = null;
      busy(false);
    }
  }

  // Reads the lines of a running question; returns the page that its answer is on.
  async function follow(answer) {
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ; ) {
      const { value, done } = await reader.read();
      if (done) throw new Error("the stream has no end");
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines.map((text) => JSON.parse(text))) {
        if (line.failed) throw new Refusal(line.failed);
        if (line.go) return fetch(line.go, { signal: running.signal });
        tell(line.step);
      }
    }
  }

  // Puts the parts of another page into this one; returns whether there are any.
  async function put(answer) {
    if (answer.status === 401) return location.reload();
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!answer.ok) throw new Refusal(fresh.querySelector("main p").textContent);
    const before = { day: find("day").scrollTop, log: find("log").scrollTop, text: find("text") };
    const open = [...document.querySelectorAll("details")].map((one) => one.open);
    const isTyping = document.activeElement === before.text;
    for (const id of PARTS) find(id).replaceWith(document.adoptNode(fresh.getElementById(id)));
    document.title = fresh.title;
    history.replaceState(null, "", new URL(answer.url).search || "/");
    find("day").scrollTop = before.day;
    if (!running) {
      find("log").scrollTop = before.log;
      find("text").replaceWith(before.text); // with what is typed in it
      if (isTyping) before.text.focus({ preventScroll: true });
      document.querySelectorAll("details").forEach((one, at) => (one.open = open[at] ?? one.open));
    }
    shownAt = Date.now();
    return true;
  }

  // After an answer: it is seen and heard, and what had the focus has it again. Where the day is
  // below the conversation, a button of the day leaves the reader where they are.
  function settle(button, before) {
    const name = button?.ariaLabel;
    const stays = button?.closest("#day") && !matchMedia("(min-width: 64rem)").matches;
    const heard = find("heard");
    const parts = [...document.querySelectorAll("#answer > p, #answer > ul > li")];
    heard.textContent = parts.map((one) => one.textContent).join("\n").slice(0, 500);
    heard.className = stays ? "toast" : "hushed";
    setTimeout(() => (heard.className = "hushed"), TOAST_MS);
    (name ? named(name) || find("day-head") : find("text")).focus({ preventScroll: true });
    if (!stays) return find("latest")?.scrollIntoView({ block: "nearest" });
    const now = new Map(placesOf(button));
    const [beside, top] = before.find(([one]) => now.has(one)) ?? [];
    if (beside) scrollBy({ top: now.get(beside) - top, behavior: "instant" });
  }

  const named = (name) =>
    [...document.querySelectorAll("#day [aria-label]")].find((one) => one.ariaLabel === name);

  // Where the things beside a button stand in the window: those that stay there after it.
  const placesOf = (button) =>
    [...(button?.closest("#day form")?.querySelectorAll("[aria-label]") ?? [])]
      .map((one) => [one.ariaLabel, named(one.ariaLabel)])
      .filter(([, one]) => one)
      .map(([name, one]) => [name, one.getBoundingClientRect().top]);

  // Shows what was asked before it is answered.
  function say(text) {
    const turn = document.createElement("li");
    const said = document.createElement("p");
    said.className = "said";
    said.textContent = text;
    turn.append(said);
    let turns = find("log").querySelector(":scope > .turns");
    if (!turns) {
      turns = document.createElement("ol");
      turns.className = "turns";
      find("log").replaceChildren(turns);
    }
    turns.append(turn);
    turn.scrollIntoView({ block: "nearest" });
    return turn;
  }

  function tell(text) {
    find("status").textContent = text;
  }

  function busy(is) {
    if (is) tell(find("status").dataset.thinking);
    find("stop").hidden = !is;
    find("talk").setAttribute("aria-busy", is);
    for (const button of document.querySelectorAll("#talk .ask button")) button.disabled = is;
  }
})();
