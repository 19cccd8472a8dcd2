/** A process that takes the lock of the given directory and runs until it is killed. */
import { lockDirectory } from '../../node/directory-lock.ts';

await lockDirectory(process.argv[2] ?? '');
process.stdout.write('locked\n');
setInterval(() => {}, 60_000);
