/** Runs one attack in its own process until it is stopped. Gets the attack and its target as JSON. */
import { ATTACKS } from './attacks.ts';

const [id = '', target = ''] = process.argv.slice(2);
const attack = ATTACKS.find((one) => one.id === id);
if (attack === undefined) throw new Error(`there is no attack ${id}`);
await attack.run(JSON.parse(target));
