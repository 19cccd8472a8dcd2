/**
 * Decides where to get a Chromium from, in order: sources that cost nothing first, those that change the machine last.
 * Everything that touches the machine is behind the `Machine` interface.
 */

export interface Machine {
  /** `CHROMIUM_PATH`, as set by the user. */
  readonly chosen: string | undefined;
  /** `CHROMIUM_HEADLESS_SHELL_PATH`, set by the user or by the process that started us. */
  readonly chosenShell: string | undefined;
  readonly platform: string;
  readonly root: boolean;
  /** The path of a program found through `PATH`. */
  onPath(program: string): string | undefined;
  exists(path: string): boolean;
  /** What an executable prints for `--version`; undefined when it does not run. */
  versionOf(path: string): Promise<string | undefined>;
  /** Where Playwright keeps its own browser, whether or not it exists. */
  playwrightPath(): string;
  downloadPlaywrightBrowser(): Promise<void>;
  installDebianPackage(): Promise<void>;
  say(line: string): void;
}

interface Place {
  readonly name: string;
  /** Obtains the browser first; throws with a message when it cannot. */
  readonly obtain?: () => Promise<void>;
  readonly candidates: () => readonly (string | undefined)[];
}

const PROGRAMS = ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser', 'microsoft-edge'];

const MAC_APPLICATIONS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];

/** The path of a working Chromium. Throws with one sentence when there is none and none can be obtained. */
export async function searchChromium(machine: Machine): Promise<string> {
  const tried: string[] = [];
  for (const place of places(machine)) {
    try {
      return await searchPlace(machine, place);
    } catch (error) {
      tried.push(`${place.name} (${error instanceof Error ? error.message : error})`);
    }
  }
  throw new Error(
    `The tests need a Chromium and none works here; tried ${tried.join(', ')}; ` +
      'install Chrome or Chromium, or set CHROMIUM_PATH to the executable of one.',
  );
}

/** Chromium without its windows, as distributions and Playwright call it. */
const HEADLESS_SHELLS = ['chromium-headless-shell', 'chrome-headless-shell'];

/**
 * The path of a working headless shell: the same engine without tabs, menus and notifications, which takes a quarter
 * less processor time. Undefined if there is none, or if the user has chosen a browser: then that is used for all tests.
 */
export async function searchHeadlessShell(machine: Machine): Promise<string | undefined> {
  const installed = machine.chosen === undefined ? HEADLESS_SHELLS.map((name) => machine.onPath(name)) : [];
  for (const path of [machine.chosenShell, ...installed]) {
    if (path !== undefined && (await machine.versionOf(path)) !== undefined) return path;
  }
  return undefined;
}

function places(machine: Machine): Place[] {
  return [
    { name: 'CHROMIUM_PATH', candidates: () => [machine.chosen] },
    {
      name: 'an installed Chrome, Chromium or Edge',
      candidates: () => [
        ...PROGRAMS.map((program) => machine.onPath(program)),
        ...(machine.platform === 'darwin' ? MAC_APPLICATIONS.filter((path) => machine.exists(path)) : []),
      ],
    },
    {
      name: 'an earlier download of Playwright',
      candidates: () => [machine.playwrightPath()].filter((path) => machine.exists(path)),
    },
    {
      name: 'a download by Playwright',
      obtain: () => machine.downloadPlaywrightBrowser(),
      candidates: () => [machine.playwrightPath()],
    },
    {
      name: "Debian's package",
      obtain: () => installDebianPackage(machine),
      candidates: () => [machine.onPath('chromium')],
    },
  ];
}

async function searchPlace(machine: Machine, place: Place): Promise<string> {
  if (place.obtain !== undefined) {
    machine.say(`trying ${place.name}`);
    await place.obtain();
  }
  const paths = place.candidates().filter((path) => path !== undefined);
  for (const path of paths) {
    const version = await machine.versionOf(path);
    if (version !== undefined) {
      machine.say(`using ${place.name}: ${path} (${version})`);
      return path;
    }
    machine.say(`${path} does not answer --version`);
  }
  throw new Error(paths.length === 0 ? 'none' : `${paths.join(', ')} did not answer --version`);
}

async function installDebianPackage(machine: Machine): Promise<void> {
  if (machine.onPath('apt-get') === undefined) throw new Error('no apt-get');
  if (!machine.root) throw new Error('not root');
  await machine.installDebianPackage();
}
