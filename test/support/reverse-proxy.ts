/** Runs nginx or Caddy with the configuration from the examples; only paths, names and ports are changed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';

const example = (file: string) =>
  readFileSync(new URL(`../../examples/self-hosting/${file}`, import.meta.url), 'utf8');

/** How each proxy is configured and started, given a directory for its files. */
const KINDS = {
  nginx: {
    configure: (dir: string, port: number, target: URL) => {
      const server = example('nginx.conf')
        .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replace('server_name relay.example.com', 'server_name localhost')
        .replaceAll('/etc/ssl/relay', dir)
        .replace('127.0.0.1:8787', target.host);
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (what) => `${what}_temp_path ${dir}/${what};`,
      );
      return `daemon off; pid ${dir}/pid; events {} http { access_log off; ${temporary.join(' ')}\n${server}}`;
    },
    args: (dir: string) => ['-p', dir, '-c', join(dir, 'configuration'), '-e', 'stderr'],
  },
  caddy: {
    configure: (dir: string, port: number, target: URL) =>
      `{\n  admin off\n  auto_https disable_redirects\n}\n${example('Caddyfile')
        .replace(
          'relay.example.com {',
          `https://localhost:${port} {\n  bind 127.0.0.1\n  tls ${dir}/fullchain.pem ${dir}/privkey.pem`,
        )
        .replace('127.0.0.1:8787', target.host)}`,
    args: (dir: string) => ['run', '--config', join(dir, 'configuration'), '--adapter', 'caddyfile'],
  },
} as const;

export type ProxyKind = keyof typeof KINDS;

export class ReverseProxy implements AsyncDisposable {
  readonly #dir = mkdtempSync(join(tmpdir(), 'holdfast-proxy-'));
  readonly #child: ChildProcess;
  readonly url: URL;

  private constructor(kind: ProxyKind, program: string, port: number, target: URL) {
    this.url = new URL(`https://localhost:${port}`);
    const { configure, args } = KINDS[kind];
    writeFileSync(join(this.#dir, 'fullchain.pem'), CERTIFICATE);
    writeFileSync(join(this.#dir, 'privkey.pem'), CERTIFICATE_KEY, { mode: 0o600 });
    mkdirSync(join(this.#dir, 'logs'));
    writeFileSync(join(this.#dir, 'configuration'), configure(this.#dir, port, target));
    const env = {
      PATH: process.env.PATH,
      HOME: this.#dir,
      XDG_DATA_HOME: this.#dir,
      XDG_CONFIG_HOME: this.#dir,
    };
    this.#child = spawn(program, args(this.#dir), { env, stdio: ['ignore', 'ignore', 'pipe'] });
  }

  /** Resolves once it accepts connections on the port, which must have been free. */
  static async start(kind: ProxyKind, program: string, port: number, target: URL): Promise<ReverseProxy> {
    const proxy = new ReverseProxy(kind, program, port, target);
    let said = '';
    proxy.#child.stderr?.on('data', (more) => (said += more));
    for (;;) {
      if (proxy.#child.exitCode !== null) throw new Error(`${kind} has ended: ${said}`);
      if (await answers(port)) return proxy;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

async function answers(port: number): Promise<boolean> {
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (is: boolean) => {
      socket.destroy();
      // Waits a moment, so that repeated attempts do not keep the proxy from starting.
      setTimeout(() => resolve(is), is ? 0 : 50);
    };
    socket.on('connect', () => settle(true));
    socket.on('error', () => settle(false));
  });
}
