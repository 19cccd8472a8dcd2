/**
 * `npx node test/first-minute/run.ts [--pictures <directory>]`: from nothing to a phone, as a person does it. In a root
 * directory with only Debian and Node: the packed archive is installed; one user runs `holdfast up` and `holdfast
 * invite`, another user with another home pastes the printed line; then in Chromium the owner opens the machine, and
 * continues in a browser of a phone's size by the QR code read from the picture. Prints how many commands that took, and
 * what was carried by hand. Needs root, and takes a minute or two.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { EmptyRoot } from '../docs/empty-root.ts';
import { findChromium, launchChromium } from '../support/chromium.ts';
import { openAndContinue } from '../support/first-minute.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WITHIN_MS = 60_000;
const { values } = parseArgs({ options: { pictures: { type: 'string' } } });

const commands: string[] = [];
const carried: string[] = [];

execFileSync(process.execPath, [join(ROOT, 'tools/build.ts')], { cwd: ROOT, stdio: 'inherit' });
const packed = execFileSync(process.execPath, [join(ROOT, 'tools/package.ts')], {
  cwd: ROOT,
  encoding: 'utf8',
});
const archive = /\S*holdfast-\d\S*\.tgz/.exec(packed)?.[0] ?? '';
await using root = await EmptyRoot.make();
copyFileSync(archive, join(root.path, 'srv/holdfast.tgz'));
await mustRun('nsenter --net=/run/host-net npm install --global --silent /srv/holdfast.tgz');
await mustRun('useradd --create-home --shell /bin/bash ann && useradd --create-home --shell /bin/bash build');

await types('ann', 'holdfast up', '/tmp/up.log');
const [, ownerLink = ''] = await shown('/tmp/up.log', /^To log in as the owner.*: (\S+)$/m);
await types('ann', 'holdfast invite', '/tmp/invite.log');
const [line = ''] = await shown('/tmp/invite.log', /^holdfast join .*$/m);
carried.push(line);
await types('build', line, '/tmp/join.log');
const [, machine = ''] = await shown('/tmp/join.log', /^Joined \S+ as “([^”]+)”[\s\S]*^Running\./m);

process.env.CHROMIUM_PATH = insideNetwork(process.env.CHROMIUM_PATH ?? (await findChromium()));
const browser = await launchChromium();
try {
  const pages = await openAndContinue(browser, ownerLink, machine);
  if (values.pictures !== undefined) {
    mkdirSync(values.pictures, { recursive: true });
    for (const [name, page] of Object.entries(pages))
      await page.screenshot({ path: join(values.pictures, `${name}.png`) });
  }
} finally {
  await browser.close();
}

console.log(`\nThe phone typed into the machine “${machine}”.`);
console.log(`commands ${commands.length}`);
for (const command of commands) console.log(`  ${command}`);
console.log(`carried by hand ${carried.length} line`);
console.log(`archive ${(readFileSync(archive).length / 1e6).toFixed(1)} MB`);

/** A command that a person types; it goes on running if it stays. */
async function types(user: string, command: string, log: string): Promise<void> {
  commands.push(`${user}: ${command}`);
  writeFileSync(join(root.path, 'tmp/typed.sh'), `${command}\n`);
  await mustRun(
    `chmod 755 /tmp/typed.sh; setsid --fork su - ${user} -c 'bash /tmp/typed.sh' > ${log} 2>&1 < /dev/null`,
  );
}

async function mustRun(script: string): Promise<void> {
  const code = await root.run(script, '/tmp');
  if (code !== 0) throw new Error(`exit code ${code}: ${script}`);
}

/** Resolves when a log shows it. */
async function shown(log: string, wanted: RegExp): Promise<RegExpExecArray> {
  const file = join(root.path, log);
  const end = Date.now() + WITHIN_MS;
  for (;;) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const found = wanted.exec(text);
    if (found !== null) return found;
    if (Date.now() > end) throw new Error(`${log} does not show ${wanted}:\n${text}`);
    await pause(50);
  }
}

/** A program that runs this one in the network of the root directory. */
function insideNetwork(program: string): string {
  const wrapper = join(root.path, 'tmp/chromium.sh');
  writeFileSync(wrapper, `#!/bin/sh\nexec nsenter --target ${root.pid} --net '${program}' "$@"\n`);
  chmodSync(wrapper, 0o755);
  return wrapper;
}
