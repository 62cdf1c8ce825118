// The spans of the decoder as the text that tests/browser/python_spans.py writes.
(() => {
  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

  function value(span) {
    if (span.value === null) return "null";
    if (span.value instanceof Uint8Array) return `bytes ${hex(span.value)}`;
    if (typeof span.value === "string") return `text ${span.value}`;
    if (span.type.endsWith("float64") && span.role === "value") {
      const view = new DataView(new ArrayBuffer(8));
      view.setFloat64(0, span.value);
      return `float ${hex(new Uint8Array(view.buffer))}`;
    }
    return String(span.value);
  }

  const stopText = (stop) =>
    `stop ${stop.fault} ${stop.offset} ${stop.fault === "invalid-utf8" ? "" : stop.detail}`;

  window.askSpans = (tables, questions) => {
    const layouts = new wireproofDecoder.Layouts(tables);
    const answers = JSON.parse(questions).map(([release, message, version, begins, data]) => {
      const read = wireproofDecoder.readFrame(layouts.at(release, message, version), bytesOf(data), begins);
      return [
        ...read.spans.map((span) => `${span.start} ${span.end} ${span.path} ${span.role} ${value(span)}`),
        `end ${read.end} ${read.stop === null ? "whole" : stopText(read.stop)}`,
        ...read.innerStops.map((stop) => `records ${stopText(stop)}`),
      ].join("\n");
    });
    return JSON.stringify(answers);
  };
})();
