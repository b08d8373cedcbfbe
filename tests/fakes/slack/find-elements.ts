export interface BlockElement extends Record<string, unknown> {
  readonly type: string;
  readonly action_id?: string;
  readonly block_id?: string;
}

/** Everything in blocks that a person can use, with the block that it stands in. */
export function findElements(blocks: readonly unknown[]): { element: BlockElement; blockId: string }[] {
  return blocks.flatMap((block, index) => {
    const { block_id: blockId = `b${index}`, accessory, elements = [], element } = block as BlockFields;
    return [accessory, element, ...elements]
      .filter((candidate) => candidate?.action_id !== undefined)
      .map((candidate) => ({ element: candidate as BlockElement, blockId }));
  });
}

interface BlockFields {
  readonly block_id?: string;
  readonly accessory?: BlockElement;
  readonly element?: BlockElement;
  readonly elements?: readonly BlockElement[];
}

export function findActionIds(block: unknown): string[] {
  return findElements([block]).map(({ element }) => element.action_id ?? "");
}

/** Slack names each block that has no name; by position here, so that equal messages stay equal. */
export function withBlockIds(blocks: readonly unknown[]): unknown[] {
  return blocks.map((block, index) => ({ block_id: `b${index}`, ...(block as object) }));
}
