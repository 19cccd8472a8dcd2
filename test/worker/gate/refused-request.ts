/** A request that the gate must refuse: any method and any headers, also those of an upgrade, which fetch() cannot send. */
import { request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly error: { readonly code: string; readonly message: string };
}

export function refusalOf(url: URL, method: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // On a connection of its own: the relay may close one that is kept while it is used again.
    const outgoing = request(url, { method, headers, agent: false });
    outgoing.on('error', reject);
    outgoing.on('upgrade', () => reject(new Error('let in')));
    outgoing.on('response', (incoming) => {
      // The answer to one that is let in may have no end.
      if ((incoming.statusCode ?? 0) < 400) {
        incoming.destroy();
        return reject(new Error(`let in with ${incoming.statusCode}`));
      }
      let body = '';
      incoming.on('data', (chunk) => (body += chunk));
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, error: JSON.parse(body).error }));
    });
    outgoing.end();
  });
}
