/** What a supervisor sees of the agent: log lines, health, metrics. */
import { execFile } from 'node:child_process';
import { get } from 'node:http';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../../node/log.ts';
import { startHealthServer } from '../../../vm-agent/health/health-server.ts';
import { Metrics } from '../../../vm-agent/health/metrics.ts';
import { spawnPty } from '../../../vm-agent/pty/spawn-pty.ts';

const LOG = new URL('../../../node/log.ts', import.meta.url).href;

describe('the log', () => {
  const at = () => new Date('2026-01-02T03:04:05.678Z');

  it('is one JSON object per line for machines', () => {
    const lines: string[] = [];
    createLog((line) => lines.push(line), false, at)('warn', 'link', { state: 'waiting', code: 1006 });
    expect(lines).toEqual([
      '{"time":"2026-01-02T03:04:05.678Z","level":"warn","event":"link","state":"waiting","code":1006}',
    ]);
  });

  it('is one readable line for a person', () => {
    const lines: string[] = [];
    const log = createLog((line) => lines.push(line), true, at);
    log('info', 'link', { state: 'open' });
    log('error', 'disk_full');
    expect(lines.map((line) => line.slice(9))).toEqual(['link state=open', 'ERROR disk_full']);
  });

  describe('of a process', () => {
    const program = `import { logEvent } from ${JSON.stringify(LOG)}; logEvent('info', 'link', { state: 'open' });`;
    const args = ['--input-type=module', '--eval', program];

    it('is readable when its stderr is a terminal', async () => {
      const printed = await new Promise<string>((resolve) => {
        let text = '';
        const size = { cols: 80, rows: 24 };
        const env = { PATH: process.env.PATH ?? '', NODE_NO_WARNINGS: '1' };
        spawnPty(
          { command: process.execPath, args, cwd: '/tmp', env, size },
          {
            output: (bytes) => {
              text += Buffer.from(bytes).toString('latin1');
            },
            exited: () => resolve(text),
          },
        );
      });
      expect(printed).toMatch(/^\d\d:\d\d:\d\d link state=open\r\n$/);
    });

    it('is JSON when its stderr is a pipe', async () => {
      const { stderr } = await promisify(execFile)(process.execPath, args, {
        env: { ...process.env, NODE_NO_WARNINGS: '1' },
      });
      expect(JSON.parse(stderr)).toMatchObject({ level: 'info', event: 'link', state: 'open' });
    });
  });
});

describe('metrics', () => {
  it('[R11] are in the format of Prometheus: counters by label, gauges, histograms by bucket', () => {
    const metrics = new Metrics();
    const removed = metrics.counter('removed_total', 'Sessions removed.');
    let running = 1;
    metrics.gauge('sessions', 'Sessions by state.', () => [[{ state: 'running' }, running]]);
    const size = metrics.histogram('snapshot_bytes', 'Size of snapshots.', [100, 1000]);
    removed(1, { reason: 'idle' });
    removed(2, { reason: 'a "quoted"\nreason\\' });
    running = 3;
    for (const bytes of [50, 100, 500, 5000]) size(bytes);
    expect(metrics.render()).toBe(
      [
        '# HELP removed_total Sessions removed.',
        '# TYPE removed_total counter',
        'removed_total{reason="idle"} 1',
        'removed_total{reason="a \\"quoted\\"\\nreason\\\\"} 2',
        '# HELP sessions Sessions by state.',
        '# TYPE sessions gauge',
        'sessions{state="running"} 3',
        '# HELP snapshot_bytes Size of snapshots.',
        '# TYPE snapshot_bytes histogram',
        'snapshot_bytes_bucket{le="100"} 2',
        'snapshot_bytes_bucket{le="1000"} 3',
        'snapshot_bytes_bucket{le="+Inf"} 4',
        'snapshot_bytes_sum 5650',
        'snapshot_bytes_count 4',
        '',
      ].join('\n'),
    );
  });
});

/** The status of `/health` for a request that names another host, as `fetch` cannot. */
function statusFor(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/health', headers: { host }, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}

describe('the health port', () => {
  const sources = {
    health: () =>
      ({
        status: 'ok',
        version: '1.2.3',
        link: { state: 'open' },
        sessions: { running: 2, orphaned: 1, exited: 0 },
        trouble: null,
      }) as const,
    metrics: () => 'up 1\n',
  };

  it('[SEC12] [P10] listens on loopback only and serves two paths', async () => {
    const server = await startHealthServer(0, sources);
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no address');
    expect(address.address).toBe('127.0.0.1');
    const ask = (path: string, method = 'GET') =>
      fetch(`http://127.0.0.1:${address.port}${path}`, { method });
    expect(await (await ask('/health')).json()).toEqual(sources.health());
    expect(await (await ask('/metrics')).text()).toBe('up 1\n');
    expect((await ask('/secret')).status).toBe(404);
    expect((await ask('/health', 'POST')).status).toBe(404);
    expect(await statusFor(address.port, 'localhost:80')).toBe(200);
    expect(await statusFor(address.port, 'rebound.example')).toBe(404);
    await expect(startHealthServer(address.port, sources)).rejects.toThrow(
      /health port \d+ cannot be used \(EADDRINUSE\)/,
    );
    server.closeAllConnections();
    server.close();
  });
});
