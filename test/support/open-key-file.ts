/** Opens a key file when told to, as one of several agents that start at once. */
import { openKeyFile } from '../../vm-agent/identity/key-file.ts';

process.send?.('ready');
process.once('message', () => {
  const opened = openKeyFile(process.argv[2] ?? '');
  process.send?.(opened.kind === 'key' ? opened.key.fingerprint : JSON.stringify(opened));
  process.disconnect?.();
});
