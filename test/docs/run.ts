/**
 * `npx node test/docs/run.ts`: runs the commands of docs/deploy.md, docs/self-hosting.md and docs/agent.md as pasted,
 * in a root directory with only Debian, git and Node. Commands that need an account are skipped and listed. Takes some
 * minutes, needs root, and tests the committed state.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../repository/imports.ts';
import { EmptyRoot } from './empty-root.ts';
import { filledIn, PAGES, type PastedCommand, pastedCommands } from './pasted-commands.ts';

const REPOSITORY = '/srv/holdfast.git';
const CERTIFICATE_DIR = '/etc/ssl/relay';
const AUTHORITY = `${CERTIFICATE_DIR}/fullchain.pem`;

/** For a command that stays running: its output when it works. */
const WORKS = 'Relay at |"state":"open"|link state=open';

/** The purpose of each function below is described where it is used. */
const PRELUDE = `
network_authority=$NODE_EXTRA_CA_CERTS
export NODE_EXTRA_CA_CERTS=${AUTHORITY}
try() { # <where> <kind> <command>
  printf '\\n%s  %s\\n' "$1" "$3"
  case $2 in
    stays) stays "$3" ;;
    network) NODE_EXTRA_CA_CERTS=$network_authority nsenter --net=/run/host-net bash -c "$3" ;;
    *) eval "$3" ;;
  esac
  local code=$?
  [ $code -eq 0 ] && return
  printf '%s failed with exit code %s\\n' "$1" $code
  exit 1
}
stays() {
  bash -c "exec $1" > /tmp/stays.log 2>&1 < /dev/null &
  local pid=$!
  for _ in $(seq 150); do
    grep -Eq '${WORKS}' /tmp/stays.log && break
    kill -0 $pid 2> /dev/null || break
    sleep 0.2
  done
  sed 's/^/    /' /tmp/stays.log
  kill -TERM $pid 2> /dev/null
  wait $pid
  grep -Eq '${WORKS}' /tmp/stays.log
}
`;

/** What a person has before any of the pages: a certificate for the relay's name. */
const CERTIFICATE = `
mkdir -p ${CERTIFICATE_DIR} && cd ${CERTIFICATE_DIR}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -keyout privkey.pem -out fullchain.pem \\
  -subj /CN=relay.example.com -addext subjectAltName=DNS:relay.example.com 2> /dev/null
chmod 600 privkey.pem
printf 'export NODE_EXTRA_CA_CERTS=%s\\n' ${AUTHORITY} > /etc/profile.d/authority.sh
`;

/** The proxy in front of the relay, which terminates TLS. */
const PROXY = `
cat > /tmp/proxy.cjs <<'END'
const { connect } = require('node:net');
const { readFileSync } = require('node:fs');
const [key, cert] = ['privkey.pem', 'fullchain.pem'].map((name) => readFileSync('${CERTIFICATE_DIR}/' + name));
require('node:tls').createServer({ key, cert }, (client) => {
  const relay = connect(8787, '127.0.0.1');
  for (const socket of [client, relay]) socket.on('error', () => { client.destroy(); relay.destroy(); });
  client.pipe(relay).pipe(client);
}).listen(443);
END
setsid node /tmp/proxy.cjs > /tmp/proxy.log 2>&1 < /dev/null &
`;

/** A session on the machine runs as its user, and an operator sees it. */
const OUTCOME = `
export HOLDFAST_RELAY=https://relay.example.com HOLDFAST_WORKSPACE=build-7 HOLDFAST_TOKEN_FILE=/root/operator-token
try outcome plain 'holdfast token -w build-7 --role operator --expires 1h --secret-file /var/lib/holdfast-relay/relay-secret --out /root/operator-token'
try outcome plain "holdfast new --name who -- sh -c 'id -un; pwd'"
try outcome plain 'holdfast wait who --timeout 30'
try outcome plain '[ "$(holdfast snapshot who)" = "dev
/home/dev" ]'
`;

async function main(): Promise<number> {
  const commands = PAGES.flatMap((page) =>
    pastedCommands(page, readFileSync(join(ROOT, 'docs', page), 'utf8')),
  );
  await using root = await EmptyRoot.make();
  // Its processes and mounts would remain after us.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void root[Symbol.asyncDispose]().then(() => process.exit(1)));
  execFileSync('git', ['clone', '--quiet', '--bare', ROOT, join(root.path, REPOSITORY)]);
  copyFileSync(join(ROOT, 'test/docs/systemctl.sh'), join(root.path, 'root/systemctl'));
  writeFileSync(join(root.path, 'etc/ld.so.preload'), '');
  const steps: readonly (readonly [cwd: string, script: string])[] = [
    ['/root', `install -m 0755 /root/systemctl /usr/local/sbin/systemctl\n${CERTIFICATE}`],
    ['/root/deploy', scriptOf(commands, 'deploy.md')],
    ['/root/self-hosting', scriptOf(commands, 'self-hosting.md')],
    [
      '/root/self-hosting/holdfast',
      'mkdir /root/agent && cp agent-token dist/holdfast-agent-*.tar.gz /root/agent/',
    ],
    ['/root', PROXY],
    ['/root/agent', scriptOf(commands, 'agent.md')],
    ['/root', PRELUDE + OUTCOME],
  ];
  for (const [cwd, script] of steps) {
    const code = await root.run(script, cwd);
    if (code !== 0) return code;
  }
  const left = commands.filter(({ kind }) => kind === 'account');
  console.log(
    `\n${commands.length - left.length} commands ran as pasted. Not run, because they need an account:`,
  );
  for (const { page, line, text } of left) console.log(`  ${page}:${line}  ${text}`);
  return 0;
}

function scriptOf(commands: readonly PastedCommand[], page: string): string {
  const lines = commands
    .filter((command) => command.page === page && command.kind !== 'account')
    .map(({ line, kind, text }) => `try ${page}:${line} ${kind} ${quoted(filledIn(text, REPOSITORY))}`);
  return [PRELUDE, ...lines].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

process.exitCode = await main();
