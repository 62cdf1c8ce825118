// The page of one message: its data is in the page.
{
  const { tables, release, message, version, begins, title, hex } = JSON.parse(document.getElementById("wp-data").textContent);
  const { Layouts, readFrame, show } = wireproofDecoder;
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const read = readFrame(new Layouts(tables).at(release, message, version), bytes, begins);
  show(document.getElementById("wp-result"), title, bytes, read);
}
