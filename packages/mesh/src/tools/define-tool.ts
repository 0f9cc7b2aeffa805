/** How a management tool is defined: with the services of the mesh. */
import { defineToolFor } from '@parley/kit';
import type { MeshServices } from '../services/index.ts';

export const defineTool = defineToolFor<MeshServices>();
