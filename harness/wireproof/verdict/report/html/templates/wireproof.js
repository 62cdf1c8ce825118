// Every page has this script: theme, copy buttons, filters that live in the URL, keys. A page reads without it.
(() => {
  "use strict";
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const say = (words) => { one("#said").textContent = words; };

  // Storage is refused in pages of some hosts, and in private windows.
  const store = (name, value) => {
    try {
      if (value === undefined) return localStorage.getItem(name);
      localStorage.setItem(name, value);
    } catch { /* the choice lasts as long as the page */ }
    return null;
  };

  const theme = one("#theme");
  const dark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const name = () => { theme.textContent = dark() ? "Light" : "Dark"; theme.setAttribute("aria-label", `${theme.textContent} colours`); };
  const kept = store("wireproof-theme");
  if (kept === "dark" || kept === "light") document.documentElement.dataset.theme = kept;
  theme.hidden = false;
  name();
  theme.addEventListener("click", () => {
    const next = dark() ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    store("wireproof-theme", next);
    name();
  });

  const copy = async (button) => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      say("Copied.");
      button.textContent = "Copied";
    } catch {
      const range = document.createRange();
      range.selectNodeContents(one("code", button.parentElement));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      say("Selected: press Ctrl+C to copy.");
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".copy");
    if (button) copy(button);
  });

  // Filters: the fragment of the URL holds them, message=FetchRequest&version=12, so that a link keeps them.
  const form = one("#filters");
  const items = all("[data-messages]");
  const rows = all("tr[data-name]");
  const fields = form ? all("[name]", form) : [];
  const holds = (words, word) => words !== undefined && words.split(" ").includes(word);
  const wanted = () => Object.fromEntries(fields.map((field) => [field.name, field.value.trim()]).filter(([, value]) => value));

  // The whole name of a message means that message; a part of a name means all that have it.
  const whole = new Set(rows.map((row) => row.dataset.name));
  const named = (words, word) => (whole.has(word) ? holds(words, word) : words.toLowerCase().includes(word.toLowerCase()));

  const shows = (item, want) =>
    (!want.message || named(item.dataset.messages, want.message)) &&
    (!want.version || holds(item.dataset.versions, want.version)) &&
    (!want.input || item.dataset.input === want.input) &&
    (!want.check || item.dataset.check === want.check) &&
    (!want.codec || item.dataset.codec === want.codec) &&
    (!want.state || item.dataset.states === undefined || holds(item.dataset.states, want.state));

  const filter = () => {
    const want = wanted();
    let shown = 0;
    for (const item of items) {
      item.hidden = !shows(item, want);
      if (!item.hidden) shown += 1;
    }
    for (const row of rows) {
      row.hidden =
        (want.message !== undefined && !named(row.dataset.name, want.message)) ||
        (want.codec !== undefined && row.dataset.codec !== undefined && row.dataset.codec !== want.codec) ||
        (want.state !== undefined && !holds(row.dataset.states, want.state)) ||
        (row.dataset.states === "not-claimed" && want.state === undefined && want.message === undefined);
    }
    for (const map of all("[data-map]")) map.hidden = all("tr[data-name]", map).every((row) => row.hidden);
    const any = Object.keys(want).length > 0;
    // A long table is folded until a filter asks for some of its rows.
    for (const folded of all("details[data-opens]")) folded.open = any;
    one("#shown").textContent = any ? `${shown} of ${items.length} ${one("#shown").dataset.noun ?? "findings"}` : "";
  };

  const written = () => new URLSearchParams(wanted()).toString();
  const write = () => {
    const text = written();
    if (location.hash.slice(1) !== text) history.replaceState(null, "", `#${text}`);
  };
  // A fragment that somebody typed need not be an escaped text: #% names no part of the page.
  const unescaped = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
  const read = () => {
    const text = location.hash.slice(1);
    if (!text.includes("=")) {
      if (form) filter();
      const target = text && document.getElementById(unescaped(text));
      if (target && target.tagName === "DETAILS") target.open = true;
      return;
    }
    const given = new URLSearchParams(text);
    for (const field of fields) field.value = given.get(field.name) ?? "";
    filter();
  };
  if (form) {
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => { filter(); write(); });
    form.addEventListener("reset", () => setTimeout(() => { filter(); history.replaceState(null, "", "#"); }));
    addEventListener("hashchange", () => {
      read();
      if (location.hash.includes("=")) form.scrollIntoView({ block: "start" });
    });
    read();
  }

  // Keys: j and k walk through the findings, o opens, c copies, / goes to the filter, arrows move in a map.
  const findings = () => all("details.finding").filter((each) => !each.hidden);
  const current = () => document.activeElement?.closest("details.finding") ?? null;
  const go = (step) => {
    const shown = findings();
    if (!shown.length) return;
    const at = shown.indexOf(current());
    const next = shown[at < 0 ? 0 : Math.min(Math.max(at + step, 0), shown.length - 1)];
    one("summary", next).focus();
    next.scrollIntoView({ block: "nearest" });
  };
  const keys = {
    j: () => go(1),
    k: () => go(-1),
    o: () => { const found = current(); if (found) found.open = !found.open; },
    c: () => { const button = current() && one(".copy", current()); if (button) copy(button); },
    "/": () => one("input", form)?.focus(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (typing) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (form && keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
      return;
    }
    const cell = event.target.closest?.("a.c");
    if (cell) move(cell, event);
  });
  const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const move = (cell, event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const body = cell.closest("tbody");
    const shown = Array.from(body.rows).filter((row) => !row.hidden);
    let [row, column] = [shown.indexOf(cell.closest("tr")), cell.closest("td").cellIndex];
    for (;;) {
      row += step[0];
      column += step[1];
      if (row < 0 || row >= shown.length || column < 1 || column >= shown[row].cells.length) return;
      const next = one("a.c", shown[row].cells[column]);
      if (next) {
        cell.tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
        return;
      }
    }
  };
  for (const map of all("table.states")) {
    const first = one("a.c", map);
    if (first) first.tabIndex = 0;
  }

  // On paper everything that the filter shows is open.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])").filter((each) => !each.hidden);
    for (const each of closed) each.open = true;
  });
  addEventListener("afterprint", () => { for (const each of closed) each.open = false; });
})();
