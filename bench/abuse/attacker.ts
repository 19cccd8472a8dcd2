/** One attack in a process of its own, until that is ended. Told as JSON: which one, and against what. */
import { ATTACKS } from './attacks.ts';

const [id = '', target = ''] = process.argv.slice(2);
const attack = ATTACKS.find((one) => one.id === id);
if (attack === undefined) throw new Error(`there is no attack ${id}`);
await attack.run(JSON.parse(target));
