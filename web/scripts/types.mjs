// Turns src/api/schema.json (made by scripts/schema.py) into src/api/messages.ts.
import { readFileSync, writeFileSync } from "node:fs";
import { compile } from "json-schema-to-typescript";

const here = new URL("../src/api/", import.meta.url);
const schema = JSON.parse(readFileSync(new URL("schema.json", here), "utf8"));
const names = Object.keys(schema.$defs);

// pydantic titles every property; as types those would be a name for each string.
function untitled(node) {
  if (Array.isArray(node)) return node.map(untitled);
  if (node === null || typeof node !== "object") return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key, value]) => !(key === "title" && typeof value === "string"))
      // maxItems would become unions of tuples
      .filter(([key]) => key !== "maxItems" && key !== "minItems")
      .map(([key, value]) => [key, untitled(value)]),
  );
}

const defs = untitled(schema.$defs);
// What the server sends is always complete: a default there does not make a field optional.
for (const name of names) {
  const def = defs[name];
  if (name.endsWith("Out") && def.properties) def.required = Object.keys(def.properties);
  // A message without its type could not be told from another.
  else if (def.properties?.type?.const) def.required = [...new Set([...(def.required ?? []), "type"])];
}

const whole = {
  title: "Messages",
  type: "object",
  additionalProperties: false,
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])),
  $defs: defs,
};

const text = await compile(whole, "Messages", {
  bannerComment: "// Made by `npm run types` from schema.json. Do not edit.",
  additionalProperties: false,
});
// The socket's two directions, told apart by `type`.
const typed = names.filter((name) => defs[name].properties?.type?.const);
const union = (end) => typed.filter((name) => name.endsWith(end)).join(" | ");
writeFileSync(
  new URL("messages.ts", here),
  `${text}export type ServerMessage = ${union("Out")};\nexport type ClientMessage = ${union("In")};\n`,
);
