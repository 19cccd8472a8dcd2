/** Imported first by programs that measure processes: without /proc they print one sentence instead of a stack. */
import { existsSync } from 'node:fs';

if (!existsSync('/proc/self/stat')) {
  console.error(
    'This measures processes through /proc, which only Linux has. The tests (npm test) run without it.',
  );
  process.exit(2);
}
