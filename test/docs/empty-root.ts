/**
 * A root directory that has only Debian, git and Node: the programs of this machine through an overlay, and empty /etc,
 * /home, /opt, /root, /tmp and /var. It has its own mount and network namespaces, so that ports are free and nothing
 * that is installed remains. Needs root, Linux and overlayfs.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The part of /etc that programs and user management need; nothing that was configured on this machine. */
const ETC = [
  'alternatives',
  'bash.bashrc',
  'debian_version',
  'default',
  'group',
  'gshadow',
  'ld.so.cache',
  'login.defs',
  'nsswitch.conf',
  'os-release',
  'pam.d',
  'pam.conf',
  'passwd',
  'profile',
  'resolv.conf',
  'security',
  'shadow',
  'shells',
  'skel',
  'ssl',
];

/** What reaching a package registry from this machine may need. */
const NETWORK_SETTINGS = /^(https?_proxy|no_proxy|npm_config_(registry|cafile)|node_extra_ca_certs)$/i;

/** Users from 1000 on are people, but for `nobody`. */
function isOfDebian(line: string): boolean {
  const uid = Number(line.split(':')[2] ?? 0);
  return uid < 1000 || uid === 65_534;
}

export class EmptyRoot implements AsyncDisposable {
  readonly path: string;
  readonly #dir: string;
  readonly #holder: ChildProcess;

  private constructor(dir: string, holder: ChildProcess) {
    this.#dir = dir;
    this.path = join(dir, 'root');
    this.#holder = holder;
  }

  static async make(): Promise<EmptyRoot> {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-root-'));
    const root = join(dir, 'root');
    for (const name of ['upper', 'work']) mkdirSync(join(dir, name));
    for (const name of 'usr etc dev proc home opt root tmp var var/lib var/log run srv'.split(' '))
      mkdirSync(join(root, name), { recursive: true });
    for (const name of ETC)
      if (existsSync(join('/etc', name)))
        cpSync(join('/etc', name), join(root, 'etc', name), { recursive: true, verbatimSymlinks: true });
    const passwd = readFileSync('/etc/passwd', 'utf8').split('\n');
    writeFileSync(join(root, 'etc/passwd'), passwd.filter(isOfDebian).join('\n'));
    mkdirSync(join(root, 'etc/systemd/system'), { recursive: true });
    mkdirSync(join(root, 'etc/profile.d'), { recursive: true });
    writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost relay.example.com\n');
    writeFileSync(join(root, 'run/host-net'), '');
    const cache =
      execFileSync('npm', ['config', 'get', 'cache', '--silent']).toString().trim() ||
      join(homedir(), '.npm');
    mkdirSync(join(root, 'root/.npm'));
    execFileSync('chmod', ['1777', join(root, 'tmp')]);
    const script = [
      'set -e',
      'for link in bin lib lib64 sbin; do ln -s usr/$link "$1/root/$link"; done',
      'mount -t overlay overlay -o "lowerdir=/usr,upperdir=$1/upper,workdir=$1/work" "$1/root/usr"',
      'mount --rbind /dev "$1/root/dev"',
      'mount -t proc proc "$1/root/proc"',
      'mkdir -p "$2" && mount --bind "$2" "$1/root/root/.npm"',
      'mount --bind /proc/self/ns/net "$1/root/run/host-net"',
      'exec unshare --net sh -c "ip link set lo up; echo ready; exec sleep infinity"',
    ].join('\n');
    const holder = spawn(
      'unshare',
      ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', dir, cache],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    await Promise.race([
      once(holder.stdout, 'data'),
      once(holder, 'exit').then(() => {
        throw new Error('The root directory could not be made; it needs root, Linux and overlayfs.');
      }),
    ]);
    return new EmptyRoot(dir, holder);
  }

  /** A process in its namespaces, as long as it exists. */
  get pid(): number {
    return this.#holder.pid ?? -1;
  }

  /** Runs a script of bash as root, and resolves with its exit code. */
  async run(script: string, cwd: string): Promise<number> {
    const settings = Object.entries(process.env).filter(([name]) => NETWORK_SETTINGS.test(name));
    const env = {
      ...Object.fromEntries(settings),
      HOME: '/root',
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin',
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      npm_config_update_notifier: 'false',
      // npm's earlier downloads are not requested again.
      npm_config_prefer_offline: 'true',
    };
    const inside = ['nsenter', '--target', `${this.#holder.pid}`, '--mount', '--net', 'chroot', this.path];
    const [program = '', ...args] = [
      ...inside,
      'bash',
      '-c',
      `mkdir -p ${cwd} && cd ${cwd} || exit 1\n${script}`,
    ];
    const child = spawn(program, args, { env, stdio: ['ignore', 'inherit', 'inherit'] });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 1;
  }

  /** Ends the remaining processes in it, and removes it. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        if (readlinkSync(`/proc/${pid}/root`).startsWith(this.path)) process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
    const ended = once(this.#holder, 'exit');
    this.#holder.kill('SIGKILL');
    await ended;
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
