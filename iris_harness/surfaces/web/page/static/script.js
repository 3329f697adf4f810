// Sends the page's forms without leaving it: tells what is going on, then shows the answer.
// Without this script the browser sends the same forms and loads the same pages.
"use strict";
(() => {
  const LINES = "application/x-ndjson";
  const PARTS = ["log", "asking", "day"];
  const find = (id) => document.getElementById(id);
  let running = null;

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post" || form.getAttribute("action") === "/logout") return;
    event.preventDefault();
    if (!running) send(form, event.submitter);
  });

  document.addEventListener("click", (event) => {
    if (event.target.id === "stop" && running) running.abort();
  });

  async function send(form, button) {
    running = new AbortController();
    busy(true);
    try {
      const answer = await fetch(form.getAttribute("action"), {
        method: "POST",
        body: new URLSearchParams(new FormData(form, button)),
        headers: { Accept: LINES },
        signal: running.signal,
      });
      const isStream = (answer.headers.get("Content-Type") || "").startsWith(LINES);
      await show(isStream ? await follow(answer) : answer, button);
      tell("");
    } catch (error) {
      const said = error instanceof Refusal ? error.message : find("status").dataset.failed;
      tell(running.signal.aborted ? find("status").dataset.stopped : said);
    } finally {
      running = null;
      busy(false);
    }
  }

  class Refusal extends Error {}

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

  async function show(answer, button) {
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (answer.status === 401) return location.reload();
    if (!answer.ok) throw new Refusal(fresh.querySelector("main p").textContent);
    const name = button?.getAttribute("aria-label");
    const scrolled = find("day").scrollTop;
    for (const id of PARTS) find(id).replaceWith(document.adoptNode(fresh.getElementById(id)));
    document.title = fresh.title;
    history.replaceState(null, "", new URL(answer.url).search || "/");
    find("day").scrollTop = scrolled;
    find("latest")?.scrollIntoView({ block: "nearest" });
    find("heard").textContent = find("answer")?.innerText.slice(0, 500) ?? "";
    // What had the focus is a new element now, or gone.
    const again = name && [...document.querySelectorAll("[aria-label]")].find((one) => one.ariaLabel === name);
    (name ? again || find("day-head") : find("text")).focus({ preventScroll: true });
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
