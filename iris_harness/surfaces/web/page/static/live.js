// Keeps a page about jobs as things are: asks for it again and puts what is new in its place.
// Without this script the page is the same, as it was when it was loaded.
"use strict";
(() => {
  const find = (id) => document.getElementById(id);
  let timer = 0;

  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(look, Number(find("live").dataset.every) * 1000);
  };

  async function look() {
    try {
      if (!document.hidden && !getSelection().toString()) await renew();
    } catch {
      // the server is gone for a moment, perhaps
    }
    later();
  }

  async function renew() {
    const answer = await fetch(location.pathname + location.search);
    if (answer.status === 401) return location.reload();
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = fresh.getElementById("live");
    if (!next || next.innerHTML === find("live").innerHTML) return;
    const open = [...find("live").querySelectorAll("details[open] > summary[id]")].map((one) => one.id);
    const focused = find("live").contains(document.activeElement) && keyOf(document.activeElement);
    const scrolled = ["graph", "log"].map((id) => [id, find(id)?.scrollLeft, find(id)?.scrollTop]);
    find("live").replaceWith(document.adoptNode(next));
    for (const id of open) find(id)?.parentElement.setAttribute("open", "");
    for (const [id, left, top] of scrolled) if (left !== undefined) find(id)?.scrollTo(left, top);
    if (focused) byKey(focused)?.focus({ preventScroll: true });
    if (document.title !== fresh.title) find("heard").textContent = document.title = fresh.title;
  }

  // What had the focus is found again by its id; a box of the graph, by where it leads.
  const keyOf = (one) => (one.id ? `#${one.id}` : `.step[href="${one.getAttribute("href")}"]`);
  const byKey = (key) => seen(key.startsWith("#") ? `#${CSS.escape(key.slice(1))}` : key);
  // Of the two pictures of a graph only one is shown.
  const seen = (selector) =>
    [...find("live").querySelectorAll(selector)].find((one) => one.getClientRects().length);

  // A graph that is larger than its frame opens at what is going on, or went wrong.
  const reveal = () => {
    const frame = find("graph");
    const step = [".leased", ".failed", ".ready"].map((state) => seen(`.step${state}`)).find(Boolean);
    if (!frame || !step) return;
    const [box, room] = [step.getBoundingClientRect(), frame.getBoundingClientRect()];
    if (box.bottom > room.bottom) frame.scrollTop += box.top - room.top - room.height / 3;
    if (box.right > room.right) frame.scrollLeft += box.left - room.left - room.width / 3;
  };

  document.addEventListener("visibilitychange", () => document.hidden || look());
  reveal();
  later();
})();
