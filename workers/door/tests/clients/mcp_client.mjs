// Runs the TypeScript client of MCP, npm `@modelcontextprotocol/sdk` 1.x, against a door: each tool, progress, a
// question back, a failure.
//
//     node mcp_client.mjs http://127.0.0.1:8080/mcp
//
// The package is looked up from the working directory, so this file need not lie beside it.
// The door serves the sample corpus with the offline reader. Ends with 1 where something is not as it should be.
import { createRequire } from 'node:module';

const require = createRequire(`${process.cwd()}/`);
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');

const QUESTION = 'What is the maximum collector-emitter voltage of the HV2N4410A?';
const ANSWER = '45 V';
let failures = 0;
const check = (what, holds, seen) => {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}${holds ? '' : `: ${JSON.stringify(seen)}`}`);
  failures += holds ? 0 : 1;
};

const client = new Client({ name: 'a test', version: '1' }, { capabilities: { elicitation: {} } });
const transport = new StreamableHTTPClientTransport(new URL(process.argv[2]));
await client.connect(transport);
check('nothing is kept for the client', transport.sessionId === undefined, transport.sessionId);
check('version', transport.protocolVersion === '2025-11-25', transport.protocolVersion);
const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);

// The client checks structured content against the output schema of each tool that was listed.
const { tools } = await client.listTools();
check('tools', tools.map((tool) => tool.name).join() === 'search,fetch,ask', tools);
const found = await call('search', { query: QUESTION });
const hit = found.structuredContent.results.find((one) => one.text.includes(ANSWER));
check('search', JSON.parse(found.content[0].text).results.length > 0 && hit, found);
const fetched = await call('fetch', { id: hit.id });
check('fetch', fetched.structuredContent.text === hit.text, fetched);
const read = await client.readResource({ uri: hit.url });
check('resource', read.contents[0].text.includes(hit.text), read);
const told = [];
const answered = await call('ask', { question: QUESTION }, { onprogress: (step) => told.push(step.progress) });
check('answer', answered.structuredContent.answer.includes(ANSWER), answered);
check('progress', told.length >= 3, told);
const back = await call('ask', { question: 'What is it?' });
check('a question back', back.structuredContent.outcome === 'clarification', back);
const reply = { question: 'the maximum collector-emitter voltage of the HV2N4410A', reply_to: back.structuredContent.turn };
const then = await call('ask', reply);
check('the answer after it', then.content[0].text.includes(ANSWER), then);
const failed = await call('fetch', { id: 'none' });
check('a failure', failed.isError && failed.content[0].text.startsWith('not_found'), failed);
await client.close();
console.log(`${failures} failures`);
process.exit(failures > 0 ? 1 : 0);
