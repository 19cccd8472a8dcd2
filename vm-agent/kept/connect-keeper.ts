/** Connects this agent process to the keeper that started it, through the descriptor it was given. */
import { closeSync, readdirSync } from 'node:fs';
import { Socket, type SocketConstructorOpts } from 'node:net';
import { KEEPER_FD } from '../keeper/agent-socket.ts';
import { FrameSocket } from '../keeper/frame-socket.ts';
import { KEEPER_CAPABILITIES_VARIABLE, KEEPER_VERSION_VARIABLE, versionTrouble } from '../keeper/versions.ts';
import { inheritedMasters } from '../pty/inherited-masters.ts';
import { KeeperLink } from './keeper-link.ts';

/** About what the kernel holds for the socket. */
const READ_BYTES = 256 * 1024;

interface KeeperEvents {
  stop(): void;
  leave(): void;
  /** The keeper has ended, and all terminals with it. */
  lost(why: string): void;
}

/** The keeper that started this process is of a build that this one cannot work with. */
export class KeeperVersionError extends Error {}

/** Null if no keeper started this process. Throws a KeeperVersionError before the keeper is told that it can take over. */
export function connectKeeper(env: NodeJS.ProcessEnv, events: KeeperEvents): KeeperLink | null {
  const fd = Number(env[KEEPER_FD] ?? Number.NaN);
  if (Number.isNaN(fd)) return null;
  delete env[KEEPER_FD];
  const { [KEEPER_VERSION_VARIABLE]: version } = env;
  delete env[KEEPER_VERSION_VARIABLE];
  delete env[KEEPER_CAPABILITIES_VARIABLE];
  const trouble = versionTrouble('keeper', version === undefined ? undefined : Number(version));
  if (trouble !== null) throw new KeeperVersionError(trouble);
  closeTerminals();
  // One buffer for all reads: new ones would fill the memory during a flood.
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const callback = (count: number): true => {
    frames.read(buffer.subarray(0, count));
    return true;
  };
  const options: SocketConstructorOpts = { fd, readable: true, writable: true, onread: { buffer, callback } };
  const socket = new Socket(options);
  const frames: FrameSocket = new FrameSocket(fd, socket, {
    received: (frame) => link.received(frame),
    drained: () => {},
    broken: (error) => {
      throw error;
    },
  });
  const link = new KeeperLink({
    send: (header, payload) => frames.send(header, payload),
    // Written after everything else that waits.
    flushed: () => new Promise((resolve) => socket.write('', () => resolve())),
    stop: events.stop,
    leave: events.leave,
  });
  socket.on('close', () => events.lost('its socket was closed'));
  link.booted();
  return link;
}

/**
 * Closes the terminals of the keeper. node-pty leaves them open in every process that the keeper starts, so that they
 * also outlive an exec of the keeper. Here they would stay open after their programs have ended.
 */
function closeTerminals(): void {
  if (process.platform !== 'linux') return;
  for (const fd of inheritedMasters(readdirSync('/proc/self/fd').map(Number))) closeSync(fd);
}
