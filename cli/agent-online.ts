/** Waits until the relay says that the agent is connected: from then on a shell would start. */
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** The agent needs about half a second; this is a request to a relay on the same machine. */
const ASK_EVERY_MS = 50;

/** After this long a person wonders whether anything happens. */
const EXPLAIN_AFTER_MS = 5_000;

export interface Awaited {
  readonly relay: URL;
  readonly workspace: string;
  /** An operator's. */
  readonly token: string;
  readonly say: (line: string) => void;
}

export async function untilAgentOnline({ relay, workspace, token, say }: Awaited): Promise<void> {
  const startedAt = performance.now();
  let isExplained = false;
  while (!(await isOnline(new URL(`/api/workspaces/${workspace}/health`, relay), token))) {
    if (!isExplained && performance.now() - startedAt > EXPLAIN_AFTER_MS) {
      isExplained = true;
      say('The agent is not connected yet. It keeps trying; lines that begin with "agent:" say why.');
    }
    await pause(ASK_EVERY_MS);
  }
}

/** One request over a plain socket: `node:http` would take 11 MB for as long as this process lives, `fetch` 17. */
function isOnline({ hostname, pathname, port }: URL, token: string): Promise<boolean> {
  return new Promise((resolve) => {
    // An address of this machine, without the brackets of IPv6.
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      answer += text;
    });
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(/"state":"online"/.test(answer)));
    socket.end(
      [
        `GET ${pathname} HTTP/1.1`,
        `Host: ${hostname}:${port}`,
        `Authorization: Bearer ${token}`,
        'Connection: close',
        '\r\n',
      ].join('\r\n'),
    );
  });
}
