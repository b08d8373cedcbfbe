import { encodeOnnxModel, type OnnxConstant, type OnnxNode } from "./onnx-model.ts";

/** Tensors of a safetensors file by name: 16-bit floats as stored. */
type Weights = ReadonlyMap<string, Omit<OnnxConstant, "name" | "type">>;

const LAYERS = 6;
const HEADS = 12;
const EPSILON = { float: 1e-12 };
/** Operators that ONNX Runtime has beyond ONNX's own: attention and the sums around it as one step each. */
const FUSED = "com.microsoft";
const FLOAT = 1;

/** Names of what goes in (`int64`, both of one length) and comes out (the mean of the last layer, not normalised). */
export const MINILM_INPUTS = { tokens: "tokens", positions: "positions" } as const;
export const MINILM_OUTPUT = "embedding";

/**
 * all-MiniLM-L6-v2 as an ONNX model, made from its weights: BERT with 6 layers (Devlin et al. 2019), mean pooling. One
 * text at a time, so nothing is padded and no mask is needed. Weights stay 16-bit in the model; the runtime widens and
 * turns them once, when it loads.
 */
export function createMiniLmGraph(safetensors: Uint8Array): Uint8Array {
  const weights = readSafetensors(safetensors);
  const nodes: OnnxNode[] = [];
  const constants: OnnxConstant[] = [{ name: "zero", type: "int64", shape: [1], bytes: new Uint8Array(8) }];

  function add(
    operator: string,
    inputs: string[],
    { attributes = {}, domain = "", output = `value-${nodes.length}` }: Partial<OnnxNode> = {},
  ): string {
    nodes.push({ operator, inputs, output, attributes, domain });
    return output;
  }
  function weight(name: string): string {
    const tensor = weights.get(name);
    if (tensor === undefined) throw new Error(`the weights have no ${name}`);
    constants.push({ name, type: "float16", ...tensor });
    return name;
  }
  const widen = (value: string) => add("Cast", [value], { attributes: { to: FLOAT } });
  const vector = (name: string) => widen(weight(name));
  const matrix = (name: string) => widen(add("Transpose", [weight(name)], { attributes: { perm: [1, 0] } }));
  /** The layer's input plus its output and bias, normalised. */
  const addAndNormalise = (output: string, input: string, part: string) =>
    add(
      "SkipLayerNormalization",
      [
        output,
        input,
        vector(`${part}.LayerNorm.weight`),
        vector(`${part}.LayerNorm.bias`),
        vector(`${part}.dense.bias`),
      ],
      { attributes: { epsilon: EPSILON }, domain: FUSED },
    );

  const words = add("Gather", [weight("embeddings.word_embeddings.weight"), MINILM_INPUTS.tokens]);
  const places = add("Gather", [weight("embeddings.position_embeddings.weight"), MINILM_INPUTS.positions]);
  const kind = add("Gather", [weight("embeddings.token_type_embeddings.weight"), "zero"]);
  const sum = add("Add", [add("Add", [widen(words), widen(places)]), widen(kind)]);
  let state = add(
    "LayerNormalization",
    [sum, vector("embeddings.LayerNorm.weight"), vector("embeddings.LayerNorm.bias")],
    { attributes: { axis: 2, epsilon: EPSILON } },
  );
  for (let layer = 0; layer < LAYERS; layer += 1) {
    const part = `encoder.layer.${layer}`;
    const inputs = ["query", "key", "value"].map((input) => `${part}.attention.self.${input}`);
    const projection = add(
      "Concat",
      inputs.map((input) => matrix(`${input}.weight`)),
      { attributes: { axis: 1 } },
    );
    const bias = add(
      "Concat",
      inputs.map((input) => vector(`${input}.bias`)),
      { attributes: { axis: 0 } },
    );
    const attention = add("Attention", [state, projection, bias], { attributes: { num_heads: HEADS }, domain: FUSED });
    const attended = add("MatMul", [attention, matrix(`${part}.attention.output.dense.weight`)]);
    state = addAndNormalise(attended, state, `${part}.attention.output`);
    const wide = add("MatMul", [state, matrix(`${part}.intermediate.dense.weight`)]);
    const active = add("BiasGelu", [wide, vector(`${part}.intermediate.dense.bias`)], { domain: FUSED });
    state = addAndNormalise(add("MatMul", [active, matrix(`${part}.output.dense.weight`)]), state, `${part}.output`);
  }
  add("ReduceMean", [state], { attributes: { axes: [1], keepdims: 0 }, output: MINILM_OUTPUT });

  return encodeOnnxModel({
    operatorSets: { "": 17, [FUSED]: 1 },
    nodes,
    constants,
    inputs: [
      { name: MINILM_INPUTS.tokens, type: "int64", shape: ["one", "length"] },
      { name: MINILM_INPUTS.positions, type: "int64", shape: ["length"] },
    ],
    outputs: [{ name: MINILM_OUTPUT, type: "float", shape: ["one", "width"] }],
  });
}

/** The format: a 64-bit length, a JSON header, the data (https://github.com/huggingface/safetensors, "Format"). */
function readSafetensors(file: Uint8Array): Weights {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const start = 8 + Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, start))) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  >;
  return new Map(
    Object.entries(header)
      .filter(([, tensor]) => tensor.dtype === "F16")
      .map(
        ([
          name,
          {
            shape,
            data_offsets: [from, to],
          },
        ]) => [name, { shape, bytes: file.subarray(start + from, start + to) }],
      ),
  );
}
