// A program that takes wrangler's place on PATH: the commands that `holdfast deploy` runs, on an account in a file.
// Beside it are `account.json`, which tests write and read, and `calls.ndjson`, in which it records how it was called.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const here = dirname(process.argv[1]);
const accountFile = join(here, 'account.json');
const account = JSON.parse(readFileSync(accountFile, 'utf8'));
const args = process.argv.slice(2);
const option = (name) => args[args.indexOf(name) + 1];
const input = readFileSync(0, 'utf8');
const config = readFileSync(option('--config'), 'utf8');
appendFileSync(join(here, 'calls.ndjson'), `${JSON.stringify({ args, input, env: process.env, config })}\n`);

function fail(text) {
  console.error(`\x1b[31m✘ [ERROR]\x1b[0m ${text}`);
  process.exit(1);
}

const worker = option('--name');
const command = args[0] === 'secret' ? `secret ${args[1]}` : args[0];
if (account.fails?.[command] !== undefined) fail(account.fails[command]);
switch (command) {
  case 'whoami':
    console.log(JSON.stringify({ loggedIn: account.loggedIn }));
    process.exit(account.loggedIn ? 0 : 1);
    break;
  case 'secret list':
    if (account.workers[worker] === undefined) fail(`Worker "${worker}" not found.`);
    console.log(
      JSON.stringify(
        Object.keys(account.workers[worker]).map((name) => ({ name, type: 'secret_text' })),
        null,
        2,
      ),
    );
    break;
  case 'deploy': {
    console.log(`Total Upload: 1 KiB\n--config ${option('--config')}`);
    if (args.includes('--dry-run')) break;
    account.workers[worker] ??= {};
    const entry = { type: 'deploy', version: 1, worker_name: worker, targets: account.targets };
    appendFileSync(
      process.env.WRANGLER_OUTPUT_FILE_PATH,
      `{"type":"wrangler-session"}\n${JSON.stringify(entry)}\n`,
    );
    break;
  }
  case 'secret bulk':
    Object.assign(account.workers[worker], JSON.parse(input));
    console.log('✨ secrets successfully created');
    break;
  default:
    fail(`Unknown arguments: ${args.join(', ')}`);
}
writeFileSync(accountFile, JSON.stringify(account));
