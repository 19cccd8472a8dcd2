/** Waits until the relay says that the agent is connected: from then on a shell would start. */
import { get } from 'node:http';
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

/** By `node:http`: `fetch` would take 13 MB for as long as this process lives. */
function isOnline(url: URL, token: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { headers: { Authorization: `Bearer ${token}` } }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve(/"state":"online"/.test(body)));
    });
    request.on('error', () => resolve(false));
  });
}
