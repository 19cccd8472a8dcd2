/** Opens a key file on request, as one of several agents that start at the same time. */
import { openKeyFile } from '../../vm-agent/identity/key-file.ts';

process.send?.('ready');
process.once('message', () => {
  const opened = openKeyFile(process.argv[2] ?? '');
  process.send?.(opened.kind === 'key' ? opened.key.fingerprint : JSON.stringify(opened));
  process.disconnect?.();
});
