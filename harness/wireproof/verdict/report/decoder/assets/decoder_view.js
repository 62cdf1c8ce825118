/* Shows what frame_decoder.js has read: a tree of fields and a hexdump, each linked to the other.
 *
 * Text of the input becomes text nodes only, never markup. Both parts make elements for what is in sight: rows
 * of open fields, and 4,096 bytes.
 */
(function (global) {
  "use strict";

  const { codecName, readRecordBlock, readRecords } = global.wireproofDecoder;
  const WINDOW_BYTES = 4096, OPEN_ROWS = 120, MOST_CHILDREN = 100;
  const SHOWN_CHARACTERS = 200, SHOWN_BYTES = 32, COLOURS = 6;
  const MOST_DECOMPRESSED = 4 << 20;
  const HIDDEN = /[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
  const TELLING = new Set(["name", "key", "value", "topic", "topicId", "index", "partition", "partitionIndex"]);
  const ATTRIBUTES = [[8, "log append time"], [16, "transactional"], [32, "control"], [64, "delete horizon"]];

  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  const hexOffset = (offset) => `0x${offset.toString(16).padStart(4, "0")}`;
  const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

  /** A text in quotes; characters that cannot be seen become escapes. */
  function quoted(text) {
    const cut = text.length > SHOWN_CHARACTERS ? text.slice(0, SHOWN_CHARACTERS) : text;
    const seen = JSON.stringify(cut).replace(HIDDEN, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
    return cut === text ? seen : `${seen}\u2026 (${counted(text.length, "character")})`;
  }

  /** Bytes in hex, and as text if they are text. */
  function bytesText(bytes) {
    if (bytes.length === 0) return "no bytes";
    const more = bytes.length > SHOWN_BYTES ? ` \u2026 (${counted(bytes.length, "byte")})` : "";
    let text = "";
    try {
      const whole = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, 4 * SHOWN_CHARACTERS));
      if (!/[\u0000-\u0008\u000e-\u001f\u007f]/.test(whole)) text = `  ${quoted(whole)}`;
    } catch {
      // It is not text: the hex says all.
    }
    return hex(bytes.subarray(0, SHOWN_BYTES)) + more + text;
  }

  function attributesText(value) {
    const words = ATTRIBUTES.filter(([bit]) => value & bit).map(([, word]) => word);
    return [`0x${(value & 0xffff).toString(16).padStart(2, "0")}`, codecName(value), ...words].join(", ");
  }

  function numberText(name, value) {
    const time = Number(value);
    const dated = typeof value === "bigint" && /timestamp(ms)?$|timems$/i.test(name) && time > 1e11 && time < 1e14;
    return dated ? `${value}  ${new Date(time).toISOString()}` : String(value);
  }

  function spanText(span, name) {
    const { role, value } = span;
    if (role === "count") return value === null ? "null" : counted(value, "element");
    if (role === "tag count") return counted(value, "tagged field");
    if (role === "marker") return value ? "present" : "null";
    if (role === "tag") return `tag ${value}`;
    if (role === "length") return value < 0 ? "null" : counted(value, "byte");
    if (role === "attributes") return attributesText(value);
    if (role === "unread") return `${counted(value.length, "byte")} that cannot be read`;
    if (role === "crc") return `0x${value.toString(16).padStart(8, "0")}`;
    if (value === null) return "null";
    if (typeof value === "string") return span.type === "uuid" ? value : quoted(value);
    return value instanceof Uint8Array ? bytesText(value) : numberText(name, value);
  }

  // -- fields ------------------------------------------------------------------------------------------------------

  /** A field, an element or a struct: what the rows of the tree show. */
  class Field {
    constructor(name, path, parent) {
      Object.assign(this, { name, path, parent, children: new Map(), spans: [], start: Infinity, end: 0 });
      Object.assign(this, { item: null, group: null, shown: 0, load: null, inside: parent?.inside ?? false });
    }

    child(name) {
      let found = this.children.get(name);
      if (found === undefined) {
        const path = name.startsWith("[") || this.path === "" ? this.path + name : `${this.path}.${name}`;
        found = new Field(name, path, this);
        this.children.set(name, found);
      }
      return found;
    }

    add(span) {
      this.spans.push(span);
      for (let each = this; each !== null; each = each.parent) {
        if (each.inside) continue;
        each.start = Math.min(each.start, span.start);
        each.end = Math.max(each.end, span.end);
      }
    }

    /** The span that has the field's own value. */
    get main() {
      return this.spans.findLast((span) => span.role !== "length" && span.role !== "tag") ?? this.spans.at(-1);
    }

    get expandable() { return this.children.size > 0 || this.load !== null; }

    /** The value in one line; of an element, its first fields. */
    get text() {
      const span = this.main;
      if (span?.role === "compressed") return `${this.codec}, ${counted(span.end - span.start, "compressed byte")}`;
      if (span !== undefined) return spanText(span, this.name);
      const named = [...this.children.values()].filter((each) => each.main !== undefined && each.name !== "_tags");
      const telling = [...named.filter((each) => TELLING.has(each.name)), ...named.filter((each) => !TELLING.has(each.name))];
      const text = telling.slice(0, 2).map((each) => `${each.name} ${spanText(each.main, each.name)}`).join(", ");
      return text.length > 80 ? `${text.slice(0, 80)}\u2026` : text;
    }

    get codec() {
      const attributes = this.parent.children.get("attributes")?.spans[0]?.value ?? 0;
      return codecName(attributes);
    }
  }

  function addSpans(root, spans) {
    const fields = [];
    for (const span of spans) {
      let field = root;
      for (const step of span.path.match(/[^.[\]]+|\[\d+\]/g) ?? []) field = field.child(step);
      field.add(span);
      fields.push(field);
      if (span.role === "compressed" && field.codec === "gzip") field.load = () => decompress(field, span.value);
    }
    return fields;
  }

  /** Add the records of data that gzip has compressed. They have no bytes of their own in the hexdump. */
  async function decompress(field, data) {
    const content = await gunzip(data);
    const read = field.name === "records" ? readRecordBlock(content) : readRecords(content);
    const inner = new Field("decompressed", `${field.path}.decompressed`, field);
    Object.assign(inner, { inside: true, start: field.start, end: field.end });
    inner.spans.push({ ...field.main, role: "length", value: content.length, type: "" });
    field.children.set(inner.name, inner);
    addSpans(inner, read.spans.map((span) => ({ ...span, path: span.path.replace(/^records/, "") })));
    if (read.stop !== null) inner.child(`stopped: ${read.stop.detail}`);
  }

  async function gunzip(data) {
    const reader = new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
    const parts = [];
    for (let size = 0; ;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      size += value.length;
      if (size > MOST_DECOMPRESSED) throw new Error(`more than ${counted(MOST_DECOMPRESSED, "byte")}`);
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  }

  // -- tree --------------------------------------------------------------------------------------------------------

  /** The tree of fields: one stop of the Tab key, arrow keys inside (WAI-ARIA, "Tree View"). */
  class Tree {
    constructor(root, choose) {
      this.root = root;
      this.choose = choose;
      this.current = null;
      this.box = element("ul", { role: "tree", "aria-label": "Fields", class: "wp-tree" });
      root.group = this.box;
      this.grow(root);
      this.openFirst();
      this.box.addEventListener("keydown", (event) => this.key(event));
      this.box.addEventListener("click", (event) => this.click(event));
      const first = this.box.querySelector('[role="treeitem"]');
      if (first !== null) first.tabIndex = 0;
    }

    /** Make the rows of the next children. */
    grow(field) {
      const children = [...field.children.values()];
      const next = children.slice(field.shown, field.shown + MOST_CHILDREN);
      field.group.querySelector(":scope > .wp-more")?.remove();
      for (const child of next) field.group.append(this.row(child, field));
      field.shown += next.length;
      if (field.shown < children.length) {
        const left = children.length - field.shown;
        const more = element("li", { role: "treeitem", class: "wp-more", tabindex: "-1" }, `Show more: ${counted(left, "row")}`);
        more.field = null;
        more.grow = field;
        field.group.append(more);
      }
    }

    row(field, parent) {
      const { main } = field;
      const size = field.end - field.start;
      const place = field.inside ? "" : `${hexOffset(field.start)}, ${counted(size, "byte")}`;
      const label = element("span", { class: "wp-row" },
        element("span", { class: "wp-name" }, field.name), " ",
        element("span", { class: "wp-value" }, field.text), " ",
        element("span", { class: "wp-place" }, [main?.type, place].filter(Boolean).join(" \u00b7 ")));
      const item = element("li", { role: "treeitem", tabindex: "-1", "aria-selected": "false" }, label);
      if (field.expandable) item.setAttribute("aria-expanded", "false");
      item.field = field;
      field.item = item;
      item.parentField = parent;
      return item;
    }

    openFirst() {
      let rows = this.root.children.size;
      const queue = [...this.root.children.values()];
      while (queue.length > 0) {
        const field = queue.shift();
        rows += field.children.size;
        if (rows > OPEN_ROWS) return;
        if (field.children.size > 0 && field.item !== null) {
          this.open(field);
          queue.push(...field.children.values());
        }
      }
    }

    open(field) {
      if (!field.expandable || field.item.getAttribute("aria-expanded") === "true") return;
      if (field.load !== null) { this.load(field); return; }
      if (field.group === null) {
        field.group = element("ul", { role: "group" });
        field.item.append(field.group);
        this.grow(field);
      }
      field.item.setAttribute("aria-expanded", "true");
    }

    /** Open a field whose content has to be made first. */
    load(field) {
      const make = field.load;
      field.load = null;
      make().catch((error) => field.child(`cannot be decompressed: ${error.message}`)).then(() => this.open(field));
    }

    close(field) { field.item.setAttribute("aria-expanded", "false"); }

    toggle(field) {
      if (field.item.getAttribute("aria-expanded") === "true") this.close(field);
      else this.open(field);
    }

    /** Make the row of a field, with those of the fields around it, and mark it. */
    reveal(field) {
      const around = [];
      for (let each = field.parent; each !== null && each.parent !== null; each = each.parent) around.unshift(each);
      for (const each of [...around, field]) {
        while (each.item === null) this.grow(each.parent);
        if (each !== field) this.open(each);
      }
      this.mark(field.item);
    }

    mark(item) {
      for (const old of this.box.querySelectorAll('[aria-selected="true"]')) old.setAttribute("aria-selected", "false");
      for (const old of this.box.querySelectorAll('[tabindex="0"]')) old.tabIndex = -1;
      item.tabIndex = 0;
      if (item.field !== null) item.setAttribute("aria-selected", "true");
      this.current = item;
      const row = item.firstElementChild ?? item, box = this.box.getBoundingClientRect(), at = row.getBoundingClientRect();
      if (at.top < box.top) this.box.scrollTop -= box.top - at.top;
      else if (at.bottom > box.bottom) this.box.scrollTop += at.bottom - box.bottom;
    }

    go(item) {
      if (item === undefined || item === null) return;
      this.mark(item);
      item.focus({ preventScroll: true });
      if (item.field !== null) this.choose(item.field);
    }

    activate(item) {
      if (item.field !== null) { this.toggle(item.field); return; }
      const next = item.grow.shown;
      this.grow(item.grow);
      this.go([...item.grow.children.values()][next].item);
    }

    click(event) {
      const item = event.target.closest('[role="treeitem"]');
      if (item === null) return;
      const arrow = item.field?.expandable && event.clientX < item.firstElementChild.getBoundingClientRect().left + 16;
      this.go(item);
      if (item.field === null || arrow || event.detail > 1) this.activate(item);
    }

    key(event) {
      const item = event.target.closest('[role="treeitem"]');
      if (item === null || event.ctrlKey || event.metaKey || event.altKey) return;
      const rows = [...this.box.querySelectorAll('[role="treeitem"]')].filter((each) => each.offsetParent !== null);
      const at = rows.indexOf(item), field = item.field;
      const open = item.getAttribute("aria-expanded") === "true";
      const acts = {
        ArrowDown: () => this.go(rows[at + 1]),
        ArrowUp: () => this.go(rows[at - 1]),
        Home: () => this.go(rows[0]),
        End: () => this.go(rows.at(-1)),
        ArrowRight: () => (open ? this.go(rows[at + 1]) : field && this.open(field)),
        ArrowLeft: () => (open ? this.close(field) : this.go(field?.parent?.item)),
        Enter: () => this.activate(item),
        " ": () => this.activate(item),
      };
      if (acts[event.key] === undefined) return;
      event.preventDefault();
      acts[event.key]();
    }
  }

  // -- hexdump -----------------------------------------------------------------------------------------------------

  /** The bytes: a grid with one stop of the Tab key, arrow keys inside. */
  class Hexdump {
    constructor(data, spanOf, choose) {
      Object.assign(this, { data, spanOf, choose, from: 0, columns: 16, cursor: 0, range: [0, 0] });
      this.grid = element("div", { role: "grid", "aria-label": "Hexdump", class: "wp-bytes" });
      this.pages = element("p", { class: "wp-pages" });
      this.box = element("div", { class: "wp-dump" }, this.pages, this.grid);
      this.grid.addEventListener("keydown", (event) => this.key(event));
      this.grid.addEventListener("click", (event) => this.pick(event));
      this.grid.addEventListener("mouseover", (event) => this.hover(event.target.dataset.at));
      this.grid.addEventListener("mouseleave", () => this.hover(undefined));
      new ResizeObserver(() => this.fit()).observe(this.box);
      this.draw();
    }

    fit() {
      const columns = this.box.clientWidth >= 560 ? 16 : 8;
      if (columns === this.columns) return;
      this.columns = columns;
      this.draw();
    }

    draw() {
      const end = Math.min(this.data.length, this.from + WINDOW_BYTES);
      this.grid.replaceChildren();
      this.cells = new Map();
      for (let at = this.from; at < end; at += this.columns) this.grid.append(this.line(at, Math.min(end, at + this.columns)));
      this.grid.hidden = this.data.length === 0;
      this.grid.setAttribute("aria-rowcount", String(Math.ceil(this.data.length / this.columns)));
      this.drawPages(end);
      this.mark(...this.range);
      this.cell(Math.min(Math.max(this.cursor, this.from), Math.max(end - 1, 0)))?.setAttribute("tabindex", "0");
    }

    line(from, end) {
      const row = element("div", { role: "row", "aria-rowindex": String(from / this.columns + 1) },
        element("span", { role: "rowheader", class: "wp-offset" }, from.toString(16).padStart(4, "0")));
      const text = element("span", { role: "gridcell", class: "wp-text" });
      for (let at = from; at < end; at += 1) {
        const index = this.spanOf[at], colour = index === 0 ? "wp-rest" : `wp-c${index % COLOURS}`;
        const byte = element("span", { role: "gridcell", class: colour, tabindex: "-1", "data-at": at },
          this.data[at].toString(16).padStart(2, "0"));
        const shown = this.data[at] > 0x20 && this.data[at] < 0x7f ? String.fromCharCode(this.data[at]) : "\u00b7";
        const letter = element("span", { "data-at": at }, shown);
        this.cells.set(at, [byte, letter]);
        row.append(byte);
        text.append(letter);
      }
      for (let at = end; at < from + this.columns; at += 1) row.append(element("span", { role: "gridcell", class: "wp-void" }));
      row.append(text);
      return row;
    }

    drawPages(end) {
      this.pages.replaceChildren();
      this.pages.hidden = this.data.length <= WINDOW_BYTES;
      const last = Math.floor((this.data.length - 1) / WINDOW_BYTES) * WINDOW_BYTES;
      const button = (name, to, off) => {
        const made = element("button", { type: "button" }, name);
        made.disabled = off;
        made.addEventListener("click", () => { this.from = to; this.draw(); });
        return made;
      };
      this.pages.append(
        button("Previous bytes", Math.max(0, this.from - WINDOW_BYTES), this.from === 0), " ",
        `${hexOffset(this.from)} to ${hexOffset(end - 1)} of ${counted(this.data.length, "byte")} `,
        button("Next bytes", Math.min(last, this.from + WINDOW_BYTES), end === this.data.length));
    }

    cell(at) { return this.cells.get(at)?.[0]; }

    /** Mark the bytes of a field, and go to them. */
    show(start, end) {
      this.range = [start, end];
      if (start < this.data.length && (start < this.from || start >= this.from + WINDOW_BYTES)) {
        this.from = Math.floor(start / WINDOW_BYTES) * WINDOW_BYTES;
        this.draw();
      } else {
        this.mark(start, end);
      }
      const first = this.cell(start);
      if (first === undefined) return;
      const box = this.grid.getBoundingClientRect(), at = first.getBoundingClientRect();
      if (at.top < box.top || at.bottom > box.bottom) this.grid.scrollTop += at.top - box.top - box.height / 3;
    }

    mark(start, end) {
      for (const [at, pair] of this.cells) {
        for (const each of pair) each.classList.toggle("wp-chosen", at >= start && at < end);
      }
    }

    hover(at) {
      const index = at === undefined ? 0 : this.spanOf[Number(at)];
      for (const [place, pair] of this.cells) {
        for (const each of pair) each.classList.toggle("wp-hover", index !== 0 && this.spanOf[place] === index);
      }
    }

    pick(event) {
      const { at } = event.target.dataset;
      if (at !== undefined) this.to(Number(at));
    }

    to(at) {
      const place = Math.min(Math.max(at, 0), this.data.length - 1);
      this.cursor = place;
      this.choose(place);
      for (const old of this.grid.querySelectorAll('[tabindex="0"]')) old.tabIndex = -1;
      const cell = this.cell(place);
      cell.tabIndex = 0;
      cell.focus({ preventScroll: true });
    }

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const at = Number(event.target.dataset.at ?? this.cursor);
      const to = {
        ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + this.columns, ArrowUp: at - this.columns,
        Home: 0, End: this.data.length - 1, Enter: at, " ": at,
      }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      this.to(to);
    }
  }

  // -- both --------------------------------------------------------------------------------------------------------

  function stopWords(stop) {
    return `Reading stops at byte ${stop.offset} (${hexOffset(stop.offset)}) in ${stop.path}: ${stop.detail}.`;
  }

  /** The sentence over the result, and whether all is well. */
  function verdict(read, data) {
    if (read.stop !== null) return ["bad", stopWords(read.stop)];
    const rest = data.length - read.end;
    if (rest > 0) return ["bad", `${counted(rest, "byte")} after the message, from byte ${read.end} (${hexOffset(read.end)}) on.`];
    if (read.innerStops.length + read.notes.length > 0) return ["wary", "Every byte has a field, but not all agree."];
    return ["good", "Every byte was read."];
  }

  function fieldText(field, data) {
    const own = field.text;
    const place = field.inside
      ? "decompressed, without bytes of its own"
      : `bytes ${field.start} to ${field.end - 1} (${hexOffset(field.start)} to ${hexOffset(field.end - 1)}), ${counted(field.end - field.start, "byte")}`;
    const raw = field.inside ? "" : hex(data.subarray(field.start, Math.min(field.end, field.start + SHOWN_BYTES)));
    return [field.path, [field.main?.type, place].filter(Boolean).join(", "), own, raw];
  }

  /** Fill `box` with what was read.
   *
   * title: the name of the message. read: what `readFrame` gives. Gives {choose}: mark the field at a byte.
   */
  function show(box, title, data, read) {
    const root = new Field("", "", null);
    const fields = addSpans(root, read.spans);
    const spanOf = new Uint32Array(data.length), bySpan = [null];
    read.spans.forEach((span, index) => {
      spanOf.fill(index + 1, span.start, span.end);
      bySpan.push(fields[index]);
    });
    const detail = element("div", { class: "wp-detail", role: "status" }, "Choose a field or a byte.");
    const choose = (field) => {
      const [path, place, value, raw] = fieldText(field, data);
      detail.replaceChildren(element("code", { class: "wp-path" }, path), element("span", {}, place),
        element("code", {}, value), element("code", { class: "wp-raw" }, raw));
      dump.show(field.start, field.end);
    };
    const dump = new Hexdump(data, spanOf, (at) => {
      const field = bySpan[spanOf[at]];
      if (field !== null) { tree.reveal(field); choose(field); }
      else { dump.show(at, at + 1); detail.textContent = `Byte ${at} (${hexOffset(at)}) was not read.`; }
    });
    const tree = new Tree(root, choose);
    tree.box.addEventListener("mouseover", (event) => {
      const field = event.target.closest('[role="treeitem"]')?.field;
      if (field && field.spans.length > 0 && !field.inside) dump.hover(String(field.spans.at(-1).end > field.spans.at(-1).start ? field.spans.at(-1).start : field.start));
    });
    tree.box.addEventListener("mouseleave", () => dump.hover(undefined));
    const [tone, words] = verdict(read, data);
    const lines = [...read.innerStops.map(stopWords), ...read.notes.map((note) => `${note.path}: ${note.text}`)];
    box.replaceChildren(
      element("p", { class: `wp-verdict wp-${tone}` }, element("strong", {}, title), ` ${counted(data.length, "byte")}. ${words}`),
      ...(lines.length ? [element("ul", { class: "wp-notes" }, ...lines.slice(0, 20).map((line) => element("li", {}, line)))] : []),
      element("div", { class: "wp-panes" }, tree.box, element("div", { class: "wp-side" }, dump.box, detail)));
    return { choose: (at) => dump.choose(at) };
  }

  global.wireproofDecoder.show = show;
})(globalThis);
