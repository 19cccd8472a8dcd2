/**
 * The browsers of the end-to-end tests. They are found once per run (global-setup.ts) and launched by each test file.
 * chromium-search.ts decides where to look; this file carries out what the search does on the machine.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, LaunchOptions } from 'playwright-core';
import { type Machine, searchChromium, searchHeadlessShell } from './chromium-search.ts';

/** On a busy machine, a cold browser takes seconds to print its version; one that hangs never does. */
const VERSION_WITHIN_MS = 60_000;
/** Enough for 180 MB at 1 MB/s. Without a network, Playwright's own five attempts fail within seconds. */
const DOWNLOAD_WITHIN_MS = 180_000;
/** How long each of those attempts waits for a connection that is neither made nor refused. */
const CONNECT_WITHIN_MS = 10_000;
/** Enough for about 100 packages from a slow mirror. */
const PACKAGES_WITHIN_MS = 300_000;

/**
 * How long a step in a page may take. A test may take longer (vitest.config.ts), so that a failure names the step; a
 * busy machine needs far less.
 */
export const STEP_WITHIN_MS = 90_000;

/** Keeps Chromium on loopback: without these switches it contacts its vendor as soon as it starts. */
const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/**
 * The features that Playwright turns off (a second switch replaces the first, so its list is repeated here), plus two.
 * The address bar's popups: a window of a full Chromium loads two pages for them, which cost more than most of ours.
 * And the spare renderer that is started ahead of the next page.
 */
export const DISABLED_FEATURES = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'SpareRendererForSitePerProcess',
];

/** Loaded only when used: that takes most of a second, and many test files have no page. */
function playwright(): typeof import('playwright-core') {
  return createRequire(import.meta.url)('playwright-core');
}

export function findChromium(): Promise<string> {
  return searchChromium(thisMachine);
}

/** Finds the browsers once; the environment passes them on to every process of the run. */
export async function chooseBrowsers(): Promise<void> {
  process.env.CHROMIUM_PATH = await findChromium();
  const shell = await searchHeadlessShell(thisMachine);
  if (shell !== undefined) process.env.CHROMIUM_HEADLESS_SHELL_PATH = shell;
}

export interface BrowserOptions extends Pick<LaunchOptions, 'args' | 'ignoreDefaultArgs'> {
  /** The whole Chromium, also where the headless shell would do: for notifications, pushes, hidden tabs and figures. */
  readonly whole?: boolean;
}

/** Inside a test run the search is done, and the environment holds its result. */
export async function launchChromium({ whole = false, ...options }: BrowserOptions = {}): Promise<Browser> {
  const args = [...QUIET, `--disable-features=${DISABLED_FEATURES}`, ...(options.args ?? [])];
  const shell = whole ? undefined : process.env.CHROMIUM_HEADLESS_SHELL_PATH;
  const browser = await playwright().chromium.launch({
    ...options,
    executablePath: shell ?? process.env.CHROMIUM_PATH ?? (await findChromium()),
    headless: true,
    // Chromium's sandbox refuses to start as root.
    args: isRoot() ? [...args, '--no-sandbox'] : args,
  });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(STEP_WITHIN_MS);
    return context;
  };
  return browser;
}

const thisMachine: Machine = {
  // An empty variable counts as not set.
  chosen: process.env.CHROMIUM_PATH || undefined,
  chosenShell: process.env.CHROMIUM_HEADLESS_SHELL_PATH || undefined,
  platform: process.platform,
  root: isRoot(),
  onPath,
  exists: existsSync,
  versionOf,
  playwrightPath: () => playwright().chromium.executablePath(),
  downloadPlaywrightBrowser,
  installDebianPackage,
  say: (line) => process.stderr.write(`chromium: ${line}\n`),
};

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function onPath(program: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function versionOf(path: string): Promise<string | undefined> {
  try {
    const version = await run(path, ['--version'], VERSION_WITHIN_MS);
    return version === '' ? undefined : version;
  } catch {
    return undefined;
  }
}

async function downloadPlaywrightBrowser(): Promise<void> {
  // Not import.meta.resolve, which vitest does not support.
  const cli = join(createRequire(import.meta.url).resolve('playwright-core/package.json'), '..', 'cli.js');
  await run(process.execPath, [cli, 'install', '--no-shell', 'chromium'], DOWNLOAD_WITHIN_MS, {
    PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: String(CONNECT_WITHIN_MS),
  });
}

async function installDebianPackage(): Promise<void> {
  // Another apt may be running (a fresh machine updates itself), so wait for its lock.
  const apt = (...args: string[]) =>
    run('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], PACKAGES_WITHIN_MS, {
      DEBIAN_FRONTEND: 'noninteractive',
    });
  // One broken third-party source fails the update although the Debian ones may be fine, so only the install counts.
  await apt('update').catch((error: Error) => thisMachine.say(`apt-get update: ${error.message}`));
  // Without a font Chromium draws empty boxes, and a screenshot of them proves nothing.
  await apt('install', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core');
  // Saves time and is not needed; older distributions lack it.
  await apt('install', '-y', '--no-install-recommends', 'chromium-headless-shell').catch((error: Error) =>
    thisMachine.say(`without a headless shell: ${error.message}`),
  );
}

/** Returns what a program prints, or throws an error whose message is the line that explains the failure. */
async function run(
  file: string,
  args: string[],
  withinMs: number,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  try {
    const options = { timeout: withinMs, maxBuffer: 64 * 2 ** 20, env: { ...process.env, ...env } };
    return (await promisify(execFile)(file, args, options)).stdout.trim();
  } catch (error) {
    const { killed, message, stderr = '' } = error as Error & { killed?: boolean; stderr?: string };
    if (killed) throw new Error(`gave up after ${withinMs / 1000} s`);
    const lines = stderr.split('\n').map((line) => line.trim());
    throw new Error(lines.find((line) => /^E(rror)?: /.test(line)) ?? message.split('\n')[0]);
  }
}
