// `npm start`: builds what has changed since the last time, then runs the built relay and agent on this machine.
//
// The build runs in a process of its own: bundlers take hundreds of megabytes, and this process stays. For the same
// reason package.json starts it without a compiler (--jitless), which saves 3 MB; it only waits.
import './require-node.mjs';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const build = fileURLToPath(new URL('../tools/build.ts', import.meta.url));
const parts = ['page', 'relay', 'agent', 'start'];
const { status } = spawnSync(process.execPath, [build, '--if-changed', ...parts], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
await import('../dist/start/start.js');
