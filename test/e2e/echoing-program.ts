/** A session whose program prints each line of its input. */
import type { ApiClient } from '../support/api-client.ts';

const ECHO = { args: ['-c', 'stty -echo; echo ready; while read -r line; do echo "<$line>"; done'] };

export async function echoing(api: ApiClient): Promise<string> {
  const { id } = await api.create(ECHO);
  await api.waitFor(id, { text: 'ready' });
  return id;
}
