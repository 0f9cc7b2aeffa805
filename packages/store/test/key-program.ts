/** A second process for tests: loads the key ring of a data folder and prints the id of its newest key. */
import { loadKeyRing } from '../src/secrets/secret-key.ts';

const { dataDir }: { dataDir: string } = JSON.parse(process.argv[2] ?? '{}');
process.stdout.write(`${loadKeyRing(dataDir)[0].id}\n`);
