/** Units for systemd: what they say, and that systemd accepts them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Service } from '../../../cli/service/service.ts';
import { unitText } from '../../../cli/service/systemd-unit.ts';
import { onPath, unlessMissing } from '../../support/on-path.ts';
import { valuesIn, wordsOf } from '../../support/stand-in-systemd.ts';

const dir = mkdtempSync(join(tmpdir(), 'holdfast-unit-'));
afterAll(() => rmSync(dir, { recursive: true }));

const service: Service = {
  name: 'holdfast-up',
  description: 'Shells, 100% of them',
  program: ['/usr/bin/node', '/opt/holdfast/cli/bin.mjs', 'up', '--port', '8787'],
  environment: { PATH: '/usr/bin:/bin' },
  keeps: [],
};

/** What systemd, a shell or C would read as something else. */
const STRANGE = [
  'a b',
  '100%n',
  '$HOME',
  `$${'{HOME}'}`,
  '$$',
  'say "x"',
  "o'brien",
  'a\\tb',
  '',
  ';',
  '`x`',
];

describe('a unit', () => {
  it('[J1] ends one program when memory is short, ends what is left of a stopped service, and starts it again', () => {
    expect(unitText(service, {}).split('\n')).toEqual(
      expect.arrayContaining([
        'ExecStart=/usr/bin/node /opt/holdfast/cli/bin.mjs up --port 8787',
        'Restart=on-failure',
        'RestartPreventExitStatus=2',
        'KillMode=mixed',
        'OOMPolicy=continue',
        'TimeoutStopSec=15',
        'WantedBy=default.target',
      ]),
    );
  });

  it('[J1] of the machine has a user, and waits for the network', () => {
    const unit = unitText(service, { user: 'root' });
    for (const line of ['User=root', 'After=network-online.target', 'WantedBy=multi-user.target'])
      expect(unit).toContain(`\n${line}\n`);
    expect(unitText(service, {})).not.toMatch(/^User=|network-online/m);
  });

  it('[J1] of a keeper can be reloaded, others cannot', () => {
    expect(valuesIn(unitText({ ...service, reloadSignal: 'URG' }, {}), 'ExecReload')).toEqual([
      '/bin/kill -URG $MAINPID',
    ]);
    expect(valuesIn(unitText(service, {}), 'ExecReload')).toEqual([]);
  });

  it('[J1] escapes what systemd would expand', () => {
    const unit = unitText({ ...service, program: ['/bin/echo', ...STRANGE] }, {});
    const [line = ''] = valuesIn(unit, 'ExecStart');
    expect(wordsOf(line)).toEqual(['/bin/echo', ...STRANGE]);
    expect(line).not.toMatch(/(?<!%)%(%%)*(?!%)/);
    expect(line.replaceAll('$$', '')).not.toContain('$');
    expect(unit).toContain('Description=Shells, 100%% of them\n');
    expect(unitText({ ...service, program: ['/bin/echo', 'a\nUser=root'] }, {})).not.toMatch(/^User/m);
  });

  it('[J1] escapes variables, whose values systemd does not expand with $', () => {
    const unit = unitText({ ...service, environment: { PATH: '/a b:/%h:/$x' } }, {});
    expect(valuesIn(unit, 'Environment')).toEqual(['"PATH=/a b:/%%h:/$x"']);
  });

  it('[J1] starts a program whose path systemd refuses with a shell', () => {
    const node = "/home/o'brien/$x/node";
    const [line = ''] = valuesIn(unitText({ ...service, program: [node, 'up'] }, {}), 'ExecStart');
    expect(wordsOf(line)).toEqual(['/bin/sh', '-c', 'exec "$0" "$@"', node, 'up']);
  });

  const analyze = onPath('systemd-analyze');
  it.skipIf(analyze === undefined).each([
    ['of a user', 'plain', ['--user']],
    ['of the machine', 'plain', []],
    ['in a strange place', `a b%c$d"e\\f'g`, []],
  ])(`[J1] %s is valid for systemd${unlessMissing('systemd-analyze', analyze)}`, (_, place, flags) => {
    const folder = join(dir, place);
    mkdirSync(folder, { recursive: true });
    const node = join(folder, 'node');
    rmSync(node, { force: true });
    symlinkSync(process.execPath, node);
    const program = [node, join(folder, 'bin.mjs'), 'up', ...STRANGE];
    const unit = unitText({ ...service, program }, flags.length > 0 ? {} : { user: 'root' });
    const file = join(dir, 'holdfast-up.service');
    writeFileSync(file, unit);
    const env = { ...process.env, XDG_RUNTIME_DIR: dir };
    const args = ['-c', '"$@" 2>&1', 'sh', analyze ?? '', 'verify', '--man=no', ...flags, file];
    const said = execFileSync('/bin/sh', args, { env }).toString();
    expect(said.split('\n').filter((line) => line.includes('holdfast-up'))).toEqual([]);
  });
});
