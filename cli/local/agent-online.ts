/** Waits until the relay reports that the agent is connected, so that a shell can start. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** The agent needs about half a second, and the relay is on the same machine. */
const ASK_EVERY_MS = 50;

/** A relay that accepts the connection but does not answer in time is asked again. */
const ANSWER_WITHIN_MS = 2_000;

/** After this long, users wonder whether anything is happening; later they want to know that it still is. */
const EXPLAIN_AFTER_MS = 5_000;
const EXPLAIN_EVERY_MS = 30_000;

export interface Awaited {
  readonly relay: URL;
  readonly workspace: string;
  /** An operator's token. */
  readonly token: string;
  /** The file with the relay's certificate, if it serves https. */
  readonly certificate?: string | undefined;
  /** Why the agent is not connected, in its own words; null when it gave no reason. */
  readonly trouble: () => string | null;
  readonly say: (line: string) => void;
  /** Aborted when nobody is waiting any more. */
  readonly signal: AbortSignal;
}

/** Resolves with true when the agent is connected, with false when the wait was aborted. */
export async function untilAgentOnline(awaited: Awaited): Promise<boolean> {
  const { relay, workspace, token, trouble, say, signal, certificate } = awaited;
  const url = new URL(`/api/workspaces/${workspace}/health`, relay);
  const startedAt = performance.now();
  let explainAt = EXPLAIN_AFTER_MS;
  while (!signal.aborted) {
    const answer = await ask(url, token, certificate);
    if (answer === 'online') return true;
    const waited = performance.now() - startedAt;
    if (waited > explainAt) {
      explainAt += EXPLAIN_EVERY_MS;
      say(explanation(Math.round(waited / 1000), trouble(), answer));
    }
    await pause(ASK_EVERY_MS);
  }
  return false;
}

/** Problems of the relay come first: without a relay, no agent can connect. */
export function explanation(seconds: number, trouble: string | null, answer: Answer): string {
  const why =
    answer === 'offline'
      ? (trouble ?? 'it gave no reason')
      : `the relay gave an unexpected answer (${answer})`;
  return `The agent is still not connected after ${seconds} s: ${why.replace(/\.$/, '')}. Waiting; Ctrl-C stops.`;
}

/** The relay's answer: the agent is online, it is offline, or a description of any other result. */
type Answer = 'online' | 'offline' | (string & {});

/** One request over a plain socket: `node:http` would use 11 MB as long as this process runs, `fetch` 17. */
async function ask(url: URL, token: string, certificate: string | undefined): Promise<Answer> {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  // An address of this machine, without the brackets of IPv6.
  const address = { host: url.hostname.replace(/^\[|\]$/g, ''), port };
  if (certificate === undefined) return answerTo(url, token, connect(address), 'connect');
  // Loaded only where it is needed, for its memory.
  const { connect: connectTls } = await import('node:tls');
  // The certificate itself is compared, in `answerTo`. Its names do not count, because this is an address of the machine.
  const socket = connectTls({ ...address, rejectUnauthorized: false });
  const expected = new X509Certificate(readFileSync(certificate)).fingerprint256;
  const isOurs = () => socket.getPeerX509Certificate()?.fingerprint256 === expected;
  return answerTo(url, token, socket, 'secureConnect', isOurs);
}

/** Sends the token only if the other side is who it should be. */
function answerTo(
  { host, pathname }: URL,
  token: string,
  socket: Socket,
  connected: 'connect' | 'secureConnect',
  isOurs = () => true,
): Promise<Answer> {
  const request = [
    `GET ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${token}`,
    'Connection: close',
    '\r\n',
  ].join('\r\n');
  return new Promise((resolve) => {
    let answer = '';
    socket.setEncoding('utf8');
    socket.setTimeout(ANSWER_WITHIN_MS, () => {
      resolve(`no answer within ${ANSWER_WITHIN_MS / 1000} s`);
      socket.destroy();
    });
    socket.on('data', (text: string) => {
      answer += text;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.on('close', () => resolve(meaningOf(answer)));
    socket.once(connected, () => {
      if (isOurs()) socket.end(request);
      else socket.destroy(new Error('it has another certificate'));
    });
  });
}

function meaningOf(answer: string): Answer {
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? [];
  if (status === undefined) return 'it closed the connection';
  if (status !== '200') return `status ${status}`;
  return /"state":"online"/.test(answer) ? 'online' : 'offline';
}
