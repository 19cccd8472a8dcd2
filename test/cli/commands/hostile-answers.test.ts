/** The command line against an HTTP server that is no relay, or a hostile one: one printable sentence, little memory. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { ANSWER_MAX_BYTES } from '../../../cli/client/api-request.ts';
import { dispatchCommand } from '../../../cli/commands/command-dispatch.ts';
import { checkRunning } from '../../../vm-agent/doctor/check-running.ts';
import { ANSWER_MAX_CHARS } from '../../../vm-agent/doctor/read-answer.ts';

const said: string[] = [];
beforeEach(() => {
  said.length = 0;
  const note = (text: unknown) => void said.push(String(text));
  vi.spyOn(console, 'log').mockImplementation(note);
  vi.spyOn(console, 'error').mockImplementation(note);
  vi.stubEnv('HOLDFAST_TOKEN', 'x.y.z');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

async function serving(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const json =
  (text: string): RequestListener =>
  (_, response) =>
    void response.setHeader('Content-Type', 'application/json').end(text);

/** Sends spaces until the other side has had enough. */
const endless: RequestListener = (_, response) => {
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(64 * 1024)));
  };
  response.on('drain', more).on('error', () => {});
  more();
};

const KEY = { fingerprint: 'SHA256:x', pinnedAt: null, pinnedBy: 'token-1' };

it.each([
  { what: 'nothing that ends', answer: endless, code: 1, says: /answered with too much/ },
  {
    what: 'one byte too many',
    answer: json(JSON.stringify({ key: KEY }).padEnd(ANSWER_MAX_BYTES + 1)),
    code: 1,
    says: /answered with too much/,
  },
  {
    what: 'as much as allowed',
    answer: json(JSON.stringify({ key: KEY }).padEnd(ANSWER_MAX_BYTES)),
    code: 0,
    says: /^SHA256:x since an unknown time, pinned by the token token-1$/,
  },
  { what: 'no JSON', answer: json('<html>'), code: 1, says: /something else than an agent key/ },
  { what: 'null', answer: json('null'), code: 1, says: /something else than an agent key/ },
  {
    what: 'another kind of key',
    answer: json('{"key":[1]}'),
    code: 1,
    says: /something else than an agent key/,
  },
  {
    what: 'a key that controls a terminal',
    answer: json(JSON.stringify({ key: { ...KEY, fingerprint: '\u001b]0;x\u0007\u202e' } })),
    code: 0,
    says: /^\]0;x since/,
  },
])('[SEC19] agent-key is answered with $what', async ({ answer, code, says }) => {
  const port = await serving(answer);
  const where = ['--relay', `http://127.0.0.1:${port}`, '--workspace', 'w'];
  expect(await dispatchCommand(['agent-key', 'show', ...where])).toBe(code);
  expect(said.join('\n')).toMatch(says);
  expect(said.join('\n')).not.toMatch(/\n\s+at /);
});

it('[SEC12] doctor reads little of what another program says on the health port', async () => {
  const trouble = (length: number) => json(JSON.stringify({ trouble: 'x' }).padEnd(length));
  expect(await checkRunning({ healthPort: await serving(trouble(ANSWER_MAX_CHARS)) })).toHaveLength(1);
  expect(await checkRunning({ healthPort: await serving(endless) })).toEqual([]);
});

it('[SEC12] doctor follows no redirection of the health port', async () => {
  let visits = 0;
  const elsewhere = await serving((_, response) => {
    visits++;
    response.end('{"trouble":"x"}');
  });
  const healthPort = await serving((_, response) =>
    response.writeHead(302, { Location: `http://127.0.0.1:${elsewhere}/` }).end(),
  );
  expect(await checkRunning({ healthPort })).toEqual([]);
  expect(visits).toBe(0);
});
