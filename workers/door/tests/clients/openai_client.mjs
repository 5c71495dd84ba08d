// Runs the unchanged npm package `openai` against a door and checks what it makes of it.
//
//     npm install openai
//     node openai_client.mjs http://127.0.0.1:8101 [PACKAGE]
//
// PACKAGE is the name under which it is installed, where that is another one.
// The package is looked up from the working directory, so this file need not lie beside it. The first check that does
// not hold ends the run with another exit code than 0.

import assert from "node:assert/strict";
import { createRequire } from "node:module";

const require = createRequire(`${process.cwd()}/`);
const [base, name = "openai"] = process.argv.slice(2);
const { OpenAI } = require(name);
const { VERSION: version } = require(`${name}/version`);
assert.ok(base, "want the base URL of a door");

const QUESTION = "What is the maximum collector-emitter voltage of the HV2N4410A?";
const ANSWER = "45 V";
const UNCLEAR = "What is the total?";
const MEANT = "invoice BS-88214";
const TOTAL = "4,933.20 EUR";
const client = new OpenAI({ baseURL: `${base}/v1`, apiKey: "any" });
const model = "argosy";
const user = (content) => ({ role: "user", content });

function hasSources(text) {
  assert.ok(text.includes(ANSWER), text);
  assert.match(text, /\n\nSources:\n- \[1\] \[.*\/\?turn=.*#citation-1\)/);
}

async function models() {
  const ids = [];
  for await (const one of client.models.list()) ids.push(one.id);
  assert.ok(ids.includes("argosy/datasheets"), ids);
  for (const id of ids) assert.equal((await client.models.retrieve(id)).id, id);
}

async function completions() {
  const messages = [user(QUESTION)];
  const whole = await client.chat.completions.create({ model, messages });
  const { message, finish_reason: finish } = whole.choices[0];
  hasSources(message.content);
  assert.equal(finish, "stop");
  const cited = message.annotations[0].url_citation;
  assert.equal(message.content.slice(cited.start_index, cited.end_index), "[1]");

  let text = "";
  const chunks = await client.chat.completions.create({ model, messages, stream: true });
  for await (const chunk of chunks) text += chunk.choices[0].delta.content ?? "";
  hasSources(text);
  const runner = client.chat.completions.stream({ model, messages, stream_options: { include_usage: true } });
  hasSources(await runner.finalContent());
  assert.ok((await runner.totalUsage()).total_tokens > 0);

  const asked = await client.chat.completions.create({ model, messages: [user(UNCLEAR)] });
  const history = [user(UNCLEAR), asked.choices[0].message, user(MEANT)];
  const replied = await client.chat.completions.create({ model, messages: history });
  assert.ok(replied.choices[0].message.content.includes(TOTAL));
}

async function responses() {
  const whole = await client.responses.create({ model, input: QUESTION });
  hasSources(whole.output_text);
  let text = "";
  const events = await client.responses.create({ model, input: QUESTION, stream: true });
  for await (const event of events) if (event.type === "response.output_text.delta") text += event.delta;
  hasSources(text);
  const runner = client.responses.stream({ model, input: QUESTION });
  for await (const _ of runner);
  hasSources((await runner.finalResponse()).output_text);
}

async function errors() {
  const messages = [user(QUESTION)];
  const none = client.chat.completions.create({ model: "gpt-9", messages });
  await assert.rejects(none, { name: "Error", status: 404, code: "model_not_found", param: "model" });
  await assert.rejects(client.chat.completions.create({ model, messages, n: 2 }), { status: 400, param: "n" });
  const headers = { "Idempotency-Key": `k-${Date.now()}` };
  await client.chat.completions.create({ model, messages }, { headers });
  const begun = Date.now();
  const other = client.chat.completions.create({ model, messages: [user("x")] }, { headers });
  await assert.rejects(other, { status: 409, code: "id_in_use" });
  assert.ok(Date.now() - begun < 400, "a conflict is not tried again");
  const stream = await client.chat.completions.create({ model, messages: [user("x")], stream: true }, { headers });
  await assert.rejects(async () => {
    for await (const _ of stream);
  }, { code: "id_in_use" });
}

for (const check of [models, completions, responses, errors]) await check();
console.log(`openai.js: ok (openai ${version}, node ${process.version})`);
