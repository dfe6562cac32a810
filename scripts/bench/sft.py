"""An epoch of supervised fine-tuning of a small Qwen2, as transformers' own Trainer does it.

usage: sft.py MODEL RECORDS

MODEL is a folder in Hugging Face's layout; RECORDS a JSON file with records (lists of Tokens and Answer, the index from
which on tokens are learned), batch (records a step), config (AdamW's, clipping, rate) and lora (peft's rank, alpha and
dropout on the seven projections). The rounds are WHAT-ORDER, one epoch each: WHAT is lora or full, ORDER is default
(shuffled) or grouped (by length). Batches are padded on the right to their longest. The clock runs over
Trainer.train() alone. Each gives the number of real tokens and of steps.
"""

import json
import os
import pathlib
import sys
import tempfile

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["HF_HUB_OFFLINE"] = "1"

import peer
import peft
import torch
import transformers

transformers.utils.logging.disable_progress_bar()


def collate(records):
    width = max(len(r["input_ids"]) for r in records)
    pad = lambda r, key, value: r[key] + [value] * (width - len(r[key]))
    return {
        "input_ids": torch.tensor([pad(r, "input_ids", 0) for r in records]),
        "attention_mask": torch.tensor([pad(r, "attention_mask", 0) for r in records]),
        "labels": torch.tensor([pad(r, "labels", -100) for r in records]),
    }


class Run:
    def __init__(self, folder, data, what, order):
        self.records = [
            {
                "input_ids": r["Tokens"],
                "attention_mask": [1] * len(r["Tokens"]),
                "labels": [-100] * r["Answer"] + r["Tokens"][r["Answer"] :],
                "length": len(r["Tokens"]),
            }
            for r in data["records"]
        ]
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
        if what == "lora":
            lora = data["lora"]
            model = peft.get_peft_model(
                model,
                peft.LoraConfig(
                    task_type="CAUSAL_LM",
                    r=lora["rank"],
                    lora_alpha=lora["alpha"],
                    lora_dropout=lora["dropout"],
                    target_modules="q_proj k_proj v_proj o_proj gate_proj up_proj down_proj".split(),
                ),
            )
        config = data["config"]
        self.model = model
        self.args = transformers.TrainingArguments(
            output_dir=tempfile.mkdtemp(),
            use_cpu=True,
            num_train_epochs=1,
            per_device_train_batch_size=data["batch"],
            learning_rate=config["rate"],
            lr_scheduler_type="constant",
            weight_decay=config["weight_decay"],
            adam_beta1=config["beta1"],
            adam_beta2=config["beta2"],
            adam_epsilon=config["epsilon"],
            max_grad_norm=config["clip"],
            train_sampling_strategy="group_by_length" if order == "grouped" else "random",
            save_strategy="no",
            logging_strategy="no",
            report_to=[],
            disable_tqdm=True,
            seed=42,
        )

    def round(self, clock):
        torch.set_num_threads(1)
        trainer = transformers.Trainer(
            model=self.model, args=self.args, train_dataset=self.records, data_collator=collate
        )
        with clock.time():
            done = trainer.train()
        return [sum(r["length"] for r in self.records), done.global_step]


def main(folder, path):
    data, runs = json.loads(pathlib.Path(path).read_text()), {}

    def go(clock, what, order):
        if (what, order) not in runs:
            runs[what, order] = Run(folder, data, what, order)
        return runs[what, order].round(clock)

    peer.serve(
        {
            f"{what}-{order}": lambda clock, what=what, order=order: go(clock, what, order)
            for what in ("lora", "full")
            for order in ("default", "grouped")
        }
    )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
