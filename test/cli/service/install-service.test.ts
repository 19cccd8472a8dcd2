/** Services: installed, found again, removed; and every refusal as one sentence. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  installService,
  isInstalledAndRunning,
  type ServiceRequest,
  servicesHere,
} from '../../../cli/service/install-service.ts';
import { runProgram } from '../../../cli/service/run-program.ts';
import { ourServiceFiles, readServiceFile } from '../../../cli/service/service-files.ts';
import { takeDown } from '../../../cli/up/down-command.ts';
import { StandInSystemd, valuesIn, wordsOf } from '../../support/stand-in-systemd.ts';

const UP: ServiceRequest = {
  name: 'holdfast-up',
  description: 'Holdfast',
  args: ['up', '--port', '8787'],
  keeps: ['/home/ada/.config/holdfast/up--100%'],
};
const AGENT: ServiceRequest = {
  name: 'holdfast-agent-build_7',
  description: 'Holdfast agent',
  args: ['agent', '--env-file', '/home/ada/agent.env'],
  reloadSignal: 'URG',
  keeps: [],
};

let systemd: StandInSystemd;
let said: string;
beforeEach(() => {
  systemd = new StandInSystemd();
  said = '';
  for (const stream of ['log', 'error'] as const)
    vi.spyOn(console, stream).mockImplementation((text) => {
      said += `${text}\n`;
    });
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await systemd[Symbol.asyncDispose]();
});

const install = (request: ServiceRequest) => installService(request, systemd.manager);
const down = (name?: string) => takeDown(name, systemd.manager, '/nowhere');

describe('installing a service', () => {
  it('[J1] writes a unit with this Node and this command, loads it, and starts it', async () => {
    expect(await isInstalledAndRunning(UP, systemd.manager)).toBe(false);
    await install(UP);
    const [line = ''] = valuesIn(systemd.unit('holdfast-up'), 'ExecStart');
    const [node, entry, ...args] = wordsOf(line);
    expect([node, args]).toEqual([process.execPath, UP.args]);
    expect(entry).toMatch(/^\/.*\/cli\/bin\.mjs$/);
    expect([...systemd.running.keys()]).toEqual(['holdfast-up.service']);
    expect(await isInstalledAndRunning(UP, systemd.manager)).toBe(true);
    expect(readdirSync(systemd.manager.directory)).toEqual(['holdfast-up.service']);
  });

  it('[J1] gives it the path and the language of this shell, and nothing that belongs to a login', async () => {
    vi.stubEnv('LC_TIME', 'de_DE.UTF-8');
    vi.stubEnv('HOLDFAST_TOKEN', 'secret');
    await install({ ...UP, environment: { RELAY_REGION: 'weur', RELAY_ISSUER: undefined } });
    const variables = valuesIn(systemd.unit('holdfast-up'), 'Environment').flatMap(wordsOf);
    expect(variables).toEqual(
      expect.arrayContaining(['LC_TIME=de_DE.UTF-8', 'RELAY_REGION=weur', 'HOLDFAST_SERVICE=holdfast-up']),
    );
    expect(variables.join(' ')).not.toMatch(/\b(HOME|TMPDIR|XDG_RUNTIME_DIR|HOLDFAST_TOKEN|RELAY_ISSUER)=/);
  });

  it('[J1] leaves one alone that runs with other options, because its shells would end', async () => {
    await install(UP);
    const other = isInstalledAndRunning({ ...UP, args: ['up', '--port', '9000'] }, systemd.manager);
    await expect(other).rejects.toThrow(
      /^The service holdfast-up is running with other options \(.*\); `holdfast down holdfast-up` stops it/,
    );
    expect(systemd.running.size).toBe(1);
  });

  it('[J1] replaces one of ours that does not run', async () => {
    await install(UP);
    systemd.running.clear();
    const moved = { ...UP, args: ['up', '--port', '9000'] };
    expect(await isInstalledAndRunning(moved, systemd.manager)).toBe(false);
    await install(moved);
    expect(systemd.unit('holdfast-up')).toContain('--port 9000');
  });

  it('[J1] tells a user whose services end at logout how to change that', async () => {
    expect(await systemd.manager.caveat()).toMatch(/`loginctl enable-linger`/);
    systemd.lingers = 'yes';
    expect(await systemd.manager.caveat()).toBeNull();
  });
});

describe('what is in the way is said in one sentence', () => {
  it('[J1] a unit of somebody else is neither replaced nor removed', async () => {
    systemd.makeDirectory();
    writeFileSync(systemd.manager.fileOf('holdfast-up'), '[Service]\nExecStart=/bin/true\n');
    const sentence = /holdfast-up\.service was not written by holdfast, and is left alone/;
    await expect(isInstalledAndRunning(UP, systemd.manager)).rejects.toThrow(sentence);
    await expect(install(UP)).rejects.toThrow(sentence);
    await expect(down('holdfast-up')).rejects.toThrow(sentence);
    expect(await down()).toBe(0);
    expect(systemd.unit('holdfast-up')).toBe('[Service]\nExecStart=/bin/true\n');
    expect(systemd.asked).toEqual([]);
  });

  it('[J1] systemd does not run here', async () => {
    await using other = new StandInSystemd({ isBooted: false });
    const sentence = /^systemd does not run here \(there is no \/run\/systemd\/system\); run the command/;
    await expect(isInstalledAndRunning(UP, other.manager)).rejects.toThrow(sentence);
    await expect(installService(UP, other.manager)).rejects.toThrow(sentence);
    expect(other.asked).toEqual([]);
  });

  it('[J1] systemctl is missing', async () => {
    systemd.isInstalled = false;
    await expect(install(UP)).rejects.toThrow(
      /^systemctl was not found; without it, run the command without --service\.$/,
    );
    expect(readdirSync(systemd.manager.directory)).toEqual([]);
    expect((await runProgram('/no/such/program', [])).code).toBeNull();
  });

  it('[J1] systemctl failed: its last line is quoted, and nothing is left behind', async () => {
    systemd.refusals.set('enable', 'Created symlink.\nFailed to connect to bus: No medium found\n');
    await expect(install(UP)).rejects.toThrow(
      /^`systemctl --user enable --now holdfast-up\.service` failed: Failed to connect to bus: No medium found\.$/,
    );
    expect(readdirSync(systemd.manager.directory)).toEqual([]);
  });

  it('[J1] the directory cannot be written', async () => {
    mkdirSync(`${systemd.home}/.config`);
    writeFileSync(`${systemd.home}/.config/systemd`, '');
    await expect(install(UP)).rejects.toThrow(/holdfast-up\.service cannot be (read|written) \(ENOTDIR\)/);
  });

  it('[J1] the system has neither systemd nor launchd', () => {
    expect(() => servicesHere('win32')).toThrow(/^Services need systemd or launchd/);
  });
});

describe('holdfast down', () => {
  it('[J1] stops and removes every service of ours, and says what is kept', async () => {
    await install(UP);
    await install(AGENT);
    expect(await down()).toBe(0);
    expect(said).toBe(
      [
        'Stopped and removed the service holdfast-agent-build_7.',
        'Stopped and removed the service holdfast-up.',
        'Kept: /home/ada/.config/holdfast/up--100%',
        '',
      ].join('\n'),
    );
    expect(systemd.running.size).toBe(0);
    expect(readdirSync(systemd.manager.directory)).toEqual([]);
    expect(systemd.asked.at(-1)).toBe('systemctl --user daemon-reload');
  });

  it('[J1] stops and removes only the named one', async () => {
    await install(UP);
    await install(AGENT);
    expect(await down('holdfast-agent-build_7')).toBe(0);
    expect((await ourServiceFiles(systemd.manager)).map(({ name }) => name)).toEqual(['holdfast-up']);
    expect([...systemd.running.keys()]).toEqual(['holdfast-up.service']);
  });

  it('[J1] keeps the file of a service that cannot be stopped', async () => {
    await install(UP);
    systemd.refusals.set('disable', 'Access denied\n');
    await expect(down()).rejects.toThrow(/failed: Access denied\.$/);
    expect(await readServiceFile(systemd.manager, 'holdfast-up')).not.toBeNull();
  });

  it('[J1] says that there is none, and fails only if one was named', async () => {
    expect(await down()).toBe(0);
    expect(await down('holdfast-up')).toBe(1);
    expect(said).toBe(
      'There is no service of holdfast here, so nothing was stopped.\nThere is no service holdfast-up, so nothing was stopped.\n',
    );
  });

  it.each(['../../etc/passwd', 'ssh', 'holdfast-', 'holdfast-a/b'])(
    '[J1] takes no other name: %s',
    async (name) => {
      await expect(down(name)).rejects.toThrow(/is not the name of a service, like holdfast-up$/);
    },
  );
});
