/**
 * Serves `/health` and `/metrics` to supervisors on this machine. It listens on loopback, and only if configured. Every
 * user of the machine can connect, so it costs the agent little whatever they send: few connections, one answer each, and
 * answers that are made at most once a second.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
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

/** A supervisor uses one. Beyond these the oldest is ended, so that nobody can keep a supervisor out by holding them. */
export const HEALTH_CONNECTIONS_MAX = 16;

/** The time for a request, and for reading its answer, on one machine. */
const CONNECTION_MAX_MS = 5000;

/** Supervisors ask every few seconds. */
const ANSWER_KEPT_MS = 1000;

/** Resolves when it listens; rejects with a readable message if it cannot. */
export function startHealthServer(
  port: number,
  sources: HealthSources,
  { now = () => performance.now(), connectionMaxMs = CONNECTION_MAX_MS } = {},
): Promise<Server> {
  const answers = new Answers(sources, now);
  const answered = new WeakSet<Socket>();
  const server = createServer((request, response) => {
    // Requests that were sent without waiting for an answer.
    if (answered.has(request.socket)) return void request.socket.destroy();
    answered.add(request.socket);
    response.setHeader('Connection', 'close');
    const body = answers.to(request);
    if (body === undefined)
      return void response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Use /health or /metrics.\n');
    response.writeHead(200, { 'Content-Type': body.type, 'Cache-Control': 'no-store' }).end(body.text);
  });
  boundConnections(server, connectionMaxMs);
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

function boundConnections(server: Server, maxMs: number): void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    const late = setTimeout(() => socket.destroy(), maxMs).unref();
    socket.on('close', () => {
      open.delete(socket);
      clearTimeout(late);
    });
    const [oldest] = open;
    if (open.size > HEALTH_CONNECTIONS_MAX) oldest?.destroy();
  });
}

interface Answer {
  readonly type: string;
  readonly text: string;
}

/** Keeps each answer for a moment. */
class Answers {
  readonly #sources: HealthSources;
  readonly #now: () => number;
  readonly #kept = new Map<string, Answer & { readonly at: number }>();

  constructor(sources: HealthSources, now: () => number) {
    this.#sources = sources;
    this.#now = now;
  }

  /** Undefined for a request that is not allowed, or for another path. */
  to({ headers: { host = '' }, method, url = '' }: IncomingMessage): Answer | undefined {
    if (method !== 'GET' || !LOOPBACK_HOST.test(host)) return undefined;
    const kept = this.#kept.get(url);
    const at = this.#now();
    if (kept !== undefined && at - kept.at < ANSWER_KEPT_MS) return kept;
    const answer = this.#make(url);
    if (answer !== undefined) this.#kept.set(url, { ...answer, at });
    return answer;
  }

  #make(path: string): Answer | undefined {
    if (path === '/health')
      return { type: 'application/json', text: `${JSON.stringify(this.#sources.health())}\n` };
    if (path === '/metrics') return { type: 'text/plain; version=0.0.4', text: this.#sources.metrics() };
    return undefined;
  }
}
