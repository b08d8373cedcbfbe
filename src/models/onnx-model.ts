/** A number of an attribute: an integer, a list of integers, or a float. */
type Attribute = number | readonly number[] | { readonly float: number };

export interface OnnxNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** The operator set; empty is ONNX's own. */
  readonly domain: string;
}

/** Data that the graph starts from, as it lies in memory (little endian). */
export interface OnnxConstant {
  readonly name: string;
  readonly type: keyof typeof ELEMENT_TYPES;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

export interface OnnxValue {
  readonly name: string;
  readonly type: keyof typeof ELEMENT_TYPES;
  /** Names of the dimensions: their sizes are known at each run only. */
  readonly shape: readonly string[];
}

/** `TensorProto.DataType` of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto, as are all field numbers below. */
const ELEMENT_TYPES = { float: 1, int64: 7, float16: 10 } as const;
const IR_VERSION = 8;

/** The bytes of a `ModelProto`: what ONNX Runtime loads. Nodes stand in the order in which they run. */
export function encodeOnnxModel(model: {
  readonly operatorSets: Readonly<Record<string, number>>;
  readonly nodes: readonly OnnxNode[];
  readonly constants: readonly OnnxConstant[];
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
}): Uint8Array {
  const graph: Field[] = [
    ...model.nodes.map((node): Field => [1, encodeNode(node)]),
    [2, "graph"],
    ...model.constants.map((constant): Field => [5, encodeConstant(constant)]),
    ...model.inputs.map((value): Field => [11, encodeValue(value)]),
    ...model.outputs.map((value): Field => [12, encodeValue(value)]),
  ];
  const operatorSets = Object.entries(model.operatorSets).map(([domain, version]): Field => [
    8,
    [
      [1, domain],
      [2, version],
    ],
  ]);
  return Buffer.concat(encode([[1, IR_VERSION], [7, graph], ...operatorSets]));
}

function encodeNode({ operator, inputs, output, attributes, domain }: OnnxNode): Field[] {
  return [
    ...inputs.map((input): Field => [1, input]),
    [2, output],
    [4, operator],
    ...Object.entries(attributes).map(([name, value]): Field => [5, encodeAttribute(name, value)]),
    [7, domain],
  ];
}

function encodeAttribute(name: string, value: Attribute): Field[] {
  if (typeof value === "number") {
    return [
      [1, name],
      [3, value],
      [20, 2],
    ];
  }
  if ("float" in value) {
    return [
      [1, name],
      [2, value],
      [20, 1],
    ];
  }
  return [[1, name], ...value.map((item): Field => [8, item]), [20, 7]];
}

function encodeConstant({ name, type, shape, bytes }: OnnxConstant): Field[] {
  return [...shape.map((size): Field => [1, size]), [2, ELEMENT_TYPES[type]], [8, name], [9, bytes]];
}

function encodeValue({ name, type, shape }: OnnxValue): Field[] {
  const dimensions = shape.map((dimension): Field => [1, [[2, dimension]]]);
  const tensor: Field[] = [
    [1, ELEMENT_TYPES[type]],
    [2, dimensions],
  ];
  return [
    [1, name],
    [2, [[1, tensor]]],
  ];
}

/** A protobuf field: its number, and a varint, a float, bytes, text or a message. */
type Field = readonly [number, number | { readonly float: number } | Uint8Array | string | readonly Field[]];

/** Protobuf's wire format (https://protobuf.dev/programming-guides/encoding). Numbers are whole and not negative. */
function encode(fields: readonly Field[]): Uint8Array[] {
  return fields.flatMap(([number, value]) => {
    if (typeof value === "number") return [varint(number << 3), varint(value)];
    if (typeof value === "object" && "float" in value) {
      const bytes = Buffer.alloc(4);
      bytes.writeFloatLE(value.float);
      return [varint((number << 3) | 5), bytes];
    }
    const body =
      typeof value === "string" ? [Buffer.from(value)] : value instanceof Uint8Array ? [value] : encode(value);
    const length = body.reduce((sum, part) => sum + part.length, 0);
    return [varint((number << 3) | 2), varint(length), ...body];
  });
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  return Uint8Array.from([...bytes, rest]);
}
