import { describe, expect, it } from 'vitest';
import { type Machine, searchChromium } from '../support/chromium-search.ts';

const PLAYWRIGHTS = '/cache/playwright/chrome';
const MAC_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** A machine with nothing on it, except what a test puts there. */
class FakeMachine implements Machine {
  chosen: string | undefined;
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
  it('takes each place in its order, as those before it go away', async () => {
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

  it('passes over a candidate that does not answer', async () => {
    const machine = plentiful();
    machine.broken.add('/opt/chosen').add('/usr/bin/chromium');
    expect(await searchChromium(machine)).toBe(PLAYWRIGHTS);
    expect(machine.said).toContain('/opt/chosen does not answer --version');
  });

  it('goes on to the package when the downloaded browser does not run', async () => {
    const machine = new FakeMachine().has('/usr/bin/apt-get');
    machine.download = () => machine.has(PLAYWRIGHTS).broken.add(PLAYWRIGHTS);
    machine.install = () => machine.has('/usr/bin/chromium');
    expect(await searchChromium(machine)).toBe('/usr/bin/chromium');
  });

  it.each(['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser', 'microsoft-edge'])(
    'knows %s by its name',
    async (program) => {
      expect(await searchChromium(new FakeMachine().has(`/usr/bin/${program}`))).toBe(`/usr/bin/${program}`);
    },
  );

  it('looks into /Applications on macOS only', async () => {
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

  it('says in one sentence what was tried and what to do', async () => {
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
