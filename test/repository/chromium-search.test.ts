import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { DISABLED_FEATURES } from '../support/chromium.ts';
import { type Machine, searchChromium, searchHeadlessShell } from '../support/chromium-search.ts';
import { ROOT } from './imports.ts';

const PLAYWRIGHTS = '/cache/playwright/chrome';
const MAC_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** A machine with nothing on it, except what a test puts there. */
class FakeMachine implements Machine {
  chosen: string | undefined;
  chosenShell: string | undefined;
  platform = 'linux';
  root = true;
  readonly files = new Set<string>();
  readonly broken = new Set<string>();
  readonly said: string[] = [];
  download: () => void = () => {
    throw new Error('no network');
  };
  install: () => void = () => {
    throw new Error('no mirror');
  };

  has(...paths: string[]): this {
    for (const path of paths) this.files.add(path);
    return this;
  }

  onPath(program: string): string | undefined {
    return this.exists(`/usr/bin/${program}`) ? `/usr/bin/${program}` : undefined;
  }

  exists(path: string): boolean {
    return this.files.has(path);
  }

  async versionOf(path: string): Promise<string | undefined> {
    return this.exists(path) && !this.broken.has(path) ? 'Chromium 156' : undefined;
  }

  playwrightPath(): string {
    return PLAYWRIGHTS;
  }

  async downloadPlaywrightBrowser(): Promise<void> {
    this.download();
  }

  async installDebianPackage(): Promise<void> {
    this.install();
  }

  say(line: string): void {
    this.said.push(line);
  }
}

/** A machine on which every way of having a Chromium works. */
function plentiful(): FakeMachine {
  const machine = new FakeMachine().has('/opt/chosen', '/usr/bin/chromium', PLAYWRIGHTS, '/usr/bin/apt-get');
  machine.chosen = '/opt/chosen';
  machine.download = () => machine.has(PLAYWRIGHTS);
  machine.install = () => machine.has('/usr/bin/chromium');
  return machine;
}

describe('searchChromium', () => {
  it('tries each place in order, as earlier ones are removed', async () => {
    const machine = plentiful();
    expect(await searchChromium(machine)).toBe('/opt/chosen');

    machine.chosen = undefined;
    expect(await searchChromium(machine)).toBe('/usr/bin/chromium');

    machine.files.delete('/usr/bin/chromium');
    expect(await searchChromium(machine)).toBe(PLAYWRIGHTS);
    expect(machine.said.join('\n')).not.toContain('trying');

    machine.files.delete(PLAYWRIGHTS);
    expect(await searchChromium(machine)).toBe(PLAYWRIGHTS);
    expect(machine.said).toContain('trying a download by Playwright');

    machine.files.delete(PLAYWRIGHTS);
    machine.download = new FakeMachine().download;
    expect(await searchChromium(machine)).toBe('/usr/bin/chromium');
    expect(machine.said).toContain("trying Debian's package");
  });

  it('skips a candidate that does not answer', async () => {
    const machine = plentiful();
    machine.broken.add('/opt/chosen').add('/usr/bin/chromium');
    expect(await searchChromium(machine)).toBe(PLAYWRIGHTS);
    expect(machine.said).toContain('/opt/chosen does not answer --version');
  });

  it('uses the package if the downloaded browser does not run', async () => {
    const machine = new FakeMachine().has('/usr/bin/apt-get');
    machine.download = () => machine.has(PLAYWRIGHTS).broken.add(PLAYWRIGHTS);
    machine.install = () => machine.has('/usr/bin/chromium');
    expect(await searchChromium(machine)).toBe('/usr/bin/chromium');
  });

  it.each(['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser', 'microsoft-edge'])(
    'finds %s by its name',
    async (program) => {
      expect(await searchChromium(new FakeMachine().has(`/usr/bin/${program}`))).toBe(`/usr/bin/${program}`);
    },
  );

  it('searches /Applications on macOS only', async () => {
    const mac = new FakeMachine().has(MAC_CHROME);
    mac.platform = 'darwin';
    expect(await searchChromium(mac)).toBe(MAC_CHROME);
    await expect(searchChromium(new FakeMachine().has(MAC_CHROME))).rejects.toThrow('none works here');
  });

  it('installs nothing without root', async () => {
    const machine = new FakeMachine().has('/usr/bin/apt-get');
    machine.root = false;
    machine.install = () => machine.has('/usr/bin/chromium');
    await expect(searchChromium(machine)).rejects.toThrow("Debian's package (not root)");
    expect(machine.exists('/usr/bin/chromium')).toBe(false);
  });

  it('says in one sentence what it tried and what to do', async () => {
    const machine = new FakeMachine();
    machine.chosen = '/nowhere';
    await expect(searchChromium(machine)).rejects.toThrow(
      'The tests need a Chromium and none works here; tried CHROMIUM_PATH (/nowhere did not answer --version), ' +
        'an installed Chrome, Chromium or Edge (none), an earlier download of Playwright (none), ' +
        "a download by Playwright (no network), Debian's package (no apt-get); " +
        'install Chrome or Chromium, or set CHROMIUM_PATH to the executable of one.',
    );
  });
});

describe('searchHeadlessShell', () => {
  const SHELL = '/usr/bin/chromium-headless-shell';

  it('finds one by its name, and none where none is or where it does not run', async () => {
    const machine = new FakeMachine().has(SHELL);
    expect(await searchHeadlessShell(machine)).toBe(SHELL);
    expect(await searchHeadlessShell(new FakeMachine().has('/usr/bin/chrome-headless-shell'))).toBe(
      '/usr/bin/chrome-headless-shell',
    );
    machine.broken.add(SHELL);
    expect(await searchHeadlessShell(machine)).toBe(undefined);
    expect(await searchHeadlessShell(new FakeMachine())).toBe(undefined);
  });

  it('leaves all tests to the browser that the user has chosen, unless a shell was chosen too', async () => {
    const machine = new FakeMachine().has(SHELL, '/opt/chosen', '/opt/shell');
    machine.chosen = '/opt/chosen';
    expect(await searchHeadlessShell(machine)).toBe(undefined);
    machine.chosenShell = '/opt/shell';
    expect(await searchHeadlessShell(machine)).toBe('/opt/shell');
  });
});

describe('on this machine', () => {
  it('`npm test` without any Chromium prints one sentence and the verdict, and exits with 1', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-no-chromium-'));
    // Nothing listens there, so that nothing is downloaded; the test checks that Playwright itself has tried.
    const env = {
      HOME: dir,
      PATH: dir,
      PLAYWRIGHT_DOWNLOAD_HOST: 'http://127.0.0.1:9',
      PLAYWRIGHT_BROWSERS_PATH: dir,
    };
    const run = promisify(execFile)(process.execPath, ['test/run.ts', 'nothing'], { cwd: ROOT, env });
    const { code, stdout, stderr } = await run.then(
      () => ({ code: 0, stdout: '', stderr: '' }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
    rmSync(dir, { recursive: true });
    expect(code).toBe(1);
    expect(stdout).toBe('0 passed, 1 failed\n');
    const said = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('chromium: '));
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^The tests need a Chromium and none works here; tried .* set CHROMIUM_PATH/);
    expect(said[0]).toContain('a download by Playwright (Error: connect ECONNREFUSED 127.0.0.1:9)');
    // Playwright tries five times, in a separate process each.
  });
});

describe('the browser of the tests', () => {
  it('turns off everything that Playwright does: Chromium uses the last of two such switches', () => {
    const playwright = readFileSync(join(ROOT, 'node_modules/playwright-core/lib/coreBundle.js'), 'utf8');
    const [, list = ''] = /\bdisabledFeatures = \[([^\]]*)\]/.exec(playwright) ?? [];
    const theirs = [...list.matchAll(/^\s*"(\w+)"/gm)].map(([, feature]) => feature);
    expect(theirs.length).toBeGreaterThan(5);
    expect(DISABLED_FEATURES).toEqual(expect.arrayContaining(theirs));
  });
});
