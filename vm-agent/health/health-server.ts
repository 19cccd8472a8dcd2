/** Serves `/health` and `/metrics` to supervisors on this machine. It listens on loopback, and only if configured. */
import { createServer, type Server } from 'node:http';
import { ConfigError } from '../settings/config.ts';

interface Health {
  readonly status: 'ok';
  readonly version: string;
  readonly link: { readonly state: string };
  /** Orphaned sessions are included in `running`. */
  readonly sessions: { readonly running: number; readonly orphaned: number; readonly exited: number };
  /** Why the keeper has started this agent with less, in a sentence; null if it has not. */
  readonly trouble: string | null;
}

interface HealthSources {
  readonly health: () => Health;
  readonly metrics: () => string;
}

/** A page of another host whose name leads to this machine (DNS rebinding) must not read it. */
const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i;

/** Resolves when it listens; rejects with a readable message if it cannot. */
export function startHealthServer(port: number, sources: HealthSources): Promise<Server> {
  const server = createServer((request, response) => {
    const isAllowed = request.method === 'GET' && LOOPBACK_HOST.test(request.headers.host ?? '');
    const body = isAllowed ? answer(request.url ?? '', sources) : undefined;
    if (body === undefined) {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Use /health or /metrics.\n');
      return;
    }
    response.writeHead(200, { 'Content-Type': body.type, 'Cache-Control': 'no-store' }).end(body.text);
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new ConfigError(
          `The health port ${port} cannot be used (${error.code}); choose another --health-port.`,
        ),
      ),
    );
    server.listen(port, '127.0.0.1', () => {
      // The health server must not keep the process alive.
      server.unref();
      resolve(server);
    });
  });
}

function answer(path: string, sources: HealthSources): { type: string; text: string } | undefined {
  if (path === '/health') return { type: 'application/json', text: `${JSON.stringify(sources.health())}\n` };
  if (path === '/metrics') return { type: 'text/plain; version=0.0.4', text: sources.metrics() };
  return undefined;
}
