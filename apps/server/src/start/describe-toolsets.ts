/** Writes down the toolsets that a program brings, when it starts. */
import type { AnyToolset, CatalogDescription } from '@parley/kit';
import { createCatalog, describeCatalog, install } from '@parley/kit';

/** Describes toolsets without their services; a condition that asks for them is left to the code. */
export function describeToolsets(toolsets: readonly AnyToolset[]): CatalogDescription {
  return describeCatalog(createCatalog(toolsets.map((toolset) => install(toolset))));
}
