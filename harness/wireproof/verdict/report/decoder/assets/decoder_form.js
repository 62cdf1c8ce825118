/* The form of the decoder page: pasted bytes, release, message, version; the choice is kept in the address. */
(function (global) {
  "use strict";

  const { Layouts, beginning, pastedBytes, readFrame, recognise, show } = global.wireproofDecoder;
  const MOST_BYTES_IN_ADDRESS = 2000;
  const RECOGNISE = "";
  const KINDS = [["request", "Requests"], ["response", "Responses"], ["header", "Headers"]];
  const OTHERS = "Records and other messages";
  const EXAMPLES = {
    "wp-request": {
      bytes: "0000002c0012000300000007000870726f647563657200126170616368652d6b61666b612d6a61766106342e342e3000",
    },
    "wp-records": {
      bytes: "0000007b0000000c00000008000870726f64756365720000ffff0000753002076f726465727302000000005100000000000000000000"
        + "0044ffffffff02c7e5b91f00000000000100000000000003e800000000000003e9ffffffffffffffffffffffffffff00000002160000"
        + "00026b0276020268010c000202010100000000",
    },
  };

  function option(value, text) {
    const made = document.createElement("option");
    made.value = value;
    made.textContent = text;
    return made;
  }

  function group(label, options) {
    const made = document.createElement("optgroup");
    made.label = label;
    made.append(...options);
    return made;
  }

  class DecoderForm {
    constructor(form, result, tables) {
      this.form = form;
      this.fields = form.elements;
      this.result = result;
      this.note = document.getElementById("wp-read");
      this.layouts = new Layouts(tables);
      this.fields.release.append(...this.layouts.releases.map((release) => option(release, release)));
      this.restore();
      form.addEventListener("submit", (event) => event.preventDefault());
      form.addEventListener("input", (event) => this.changed(event.target.name));
      form.addEventListener("reset", () => setTimeout(() => { this.listMessages(RECOGNISE); this.listVersions(""); this.decode(); }));
      for (const [id, example] of Object.entries(EXAMPLES)) {
        document.getElementById(id).addEventListener("click", () => this.fill(example));
      }
      window.addEventListener("hashchange", () => { if (location.hash.includes("=")) this.restore(); });
    }

    /** Take the choice out of the address. */
    restore() {
      const kept = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
      this.fill(Object.fromEntries(kept), false);
    }

    fill({ release, message, version, begins, bytes }, remember = true) {
      const { fields } = this;
      if (release !== undefined && this.layouts.releases.includes(release)) fields.release.value = release;
      this.listMessages(message ?? RECOGNISE);
      this.listVersions(version ?? "");
      fields.begins.value = ["size", "header", "body"].includes(begins) ? begins : "";
      fields.bytes.value = bytes ?? "";
      this.decode(remember);
    }

    changed(name) {
      if (name === "release") this.listMessages(this.fields.message.value);
      if (name === "release" || name === "message") this.listVersions(this.fields.version.value);
      this.decode();
    }

    /** The messages of the release; `wanted` stays chosen if the release has it. */
    listMessages(wanted) {
      const messages = [...this.layouts.messages(this.fields.release.value).values()];
      const groups = new Map([...KINDS.map(([kind]) => [kind, []]), ["", []]]);
      for (const each of messages) (groups.get(each.kind) ?? groups.get("")).push(option(each.name, each.name));
      const made = [...KINDS, ["", OTHERS]].map(([kind, label]) => group(label, groups.get(kind)));
      this.fields.message.replaceChildren(option(RECOGNISE, "a request: recognise it"), ...made);
      this.fields.message.value = messages.some((each) => each.name === wanted) ? wanted : RECOGNISE;
    }

    listVersions(wanted) {
      const { message, release, version } = this.fields;
      const found = this.layouts.messages(release.value).get(message.value);
      version.disabled = found === undefined;
      const numbers = [];
      for (let each = found?.last ?? -1; found !== undefined && each >= found.first; each -= 1) numbers.push(String(each));
      version.replaceChildren(...(found === undefined ? [option("", "of the request")] : numbers.map((each) => option(each, each))));
      version.value = numbers.includes(String(wanted)) ? String(wanted) : (numbers[0] ?? "");
    }

    remember(bytes) {
      const kept = new URLSearchParams();
      for (const name of ["release", "message", "version", "begins"]) {
        if (this.fields[name].value !== "") kept.set(name, this.fields[name].value);
      }
      if (bytes !== null && bytes.length <= MOST_BYTES_IN_ADDRESS) {
        kept.set("bytes", Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""));
      }
      history.replaceState(null, "", `#${kept}`);
    }

    say(text, wrong = false) {
      this.note.textContent = text;
      this.note.dataset.wrong = String(wrong);
    }

    decode(remember = true) {
      const { bytes, form } = pastedBytes(this.fields.bytes.value);
      if (remember) this.remember(bytes);
      this.result.replaceChildren();
      if (bytes === null) { this.say(form, form !== ""); return; }
      const { found, begins, problem } = this.chosen(bytes);
      if (problem !== undefined) { this.say(problem, true); return; }
      const before = { size: "size, header and body", header: "header and body", body: "the body alone" }[begins];
      this.say(`Read as ${form}: ${bytes.length.toLocaleString("en")} bytes, ${before}.${this.hint(found, bytes, begins)}`);
      const title = `${found.message.name} ${found.version} of Kafka ${this.fields.release.value}:`;
      show(this.result, title, bytes, readFrame(found, bytes, begins));
    }

    /** The message to read the bytes as and what they begin with; a problem if there is none. */
    chosen(bytes) {
      const { release, message, version, begins } = this.fields;
      if (message.value !== RECOGNISE) {
        const found = this.layouts.at(release.value, message.value, Number(version.value));
        return { found, begins: begins.value || beginning(found, bytes) };
      }
      const { found, begins: seen, key } = recognise(this.layouts, release.value, bytes);
      if (found !== undefined) return { found, begins: begins.value || seen };
      if (key === null) return { problem: `${bytes.length} bytes are too few for a request: choose the message.` };
      const what = key.name === undefined ? `API key ${key.apiKey}` : `version ${key.version} of ${key.name}`;
      return { problem: `As a request this would have ${what}, which ${release.value} does not have: choose another release or the message.` };
    }

    /** A hint for responses to ApiVersions, which may have version 0 whatever was asked (KIP-511). */
    hint(found, bytes, begins) {
      if (found.message.name !== "ApiVersionsResponse" || found.version === 0 || begins !== "size") return "";
      return bytes.length >= 10 && bytes[8] === 0 && bytes[9] === 35
        ? " The error is UNSUPPORTED_VERSION: a broker sends it in version 0." : "";
    }
  }

  const form = document.getElementById("wp-form");
  if (form !== null) new DecoderForm(form, document.getElementById("wp-result"), global.wireproofLayouts);
})(globalThis);
