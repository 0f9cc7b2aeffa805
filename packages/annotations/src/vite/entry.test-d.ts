import { expectTypeOf, test } from 'vitest';
import type { parley as declared, ParleyOptions as DeclaredOptions } from './entry.js';
import type { parley, ParleyOptions } from './index.ts';

test('what projects see is what the sources say', () => {
  expectTypeOf<DeclaredOptions>().toEqualTypeOf<ParleyOptions>();
  expectTypeOf<typeof declared>().toEqualTypeOf<typeof parley>();
});
