// Sends the page's forms without leaving it: tells what is going on, then shows the answer.
// Without this script the browser sends the same forms and loads the same pages.
"use strict";
(() => {
  const LINES = "application/x-ndjson";
  const PARTS = ["log", "asking", "day"];
  const STALE_MS = 5 * 60 * 1000;
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

  // A page that was away for a while shows the day as it is now.
  document.addEventListener("visibilitychange", () => {
    const isOld = Date.now() - shownAt > STALE_MS;
    if (document.hidden || running || !isOld || find("why")) return;
    fetch(`/${location.search}`).then((answer) => put(answer)).catch(() => {});
  });

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
      if (await put(isStream ? await follow(answer) : answer)) settle(button);
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
    const scrolled = find("day").scrollTop;
    const typed = find("text").value;
    for (const id of PARTS) find(id).replaceWith(document.adoptNode(fresh.getElementById(id)));
    document.title = fresh.title;
    history.replaceState(null, "", new URL(answer.url).search || "/");
    find("day").scrollTop = scrolled;
    if (!running) find("text").value = typed;
    shownAt = Date.now();
    return true;
  }

  // After an answer: it is seen and heard, and what had the focus has it again.
  function settle(button) {
    find("latest")?.scrollIntoView({ block: "nearest" });
    find("heard").textContent = find("answer")?.innerText.slice(0, 500) ?? "";
    const name = button?.ariaLabel;
    const again = name && [...document.querySelectorAll("button")].find((one) => one.ariaLabel === name);
    (name ? again || find("day-head") : find("text")).focus({ preventScroll: true });
  }

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
