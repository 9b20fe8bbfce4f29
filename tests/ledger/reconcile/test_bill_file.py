"""A bill is read as its layout says; what is broken is named by line and column."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from callsheet.kit.errors import ConfigError, SetupError
from callsheet.kit.places import shipped
from callsheet.ledger.reconcile import bill_file
from callsheet.ledger.reconcile.bill import BillLine, Tokens
from callsheet.ledger.reconcile.bill_file import read_bill
from callsheet.ledger.reconcile.layout import load_layout
from tests.ledger.reconcile.bills import bill, layout, problems

HEAD = "day,model,amount,currency\n"


def test_lines_are_read_with_the_place_where_they_stand(tmp_path: Path) -> None:
    found = bill(tmp_path, HEAD + '2026-11-01,m,1.50,USD\n\n2026-11-02,"m,\n2",-0.5,usd\n')
    assert found.lines == (
        BillLine(2, date(2026, 11, 1), "m", Decimal("1.50"), "USD"),
        BillLine(4, date(2026, 11, 2), "m,\n2", Decimal("-0.5"), "USD"),
    )
    assert (found.first, found.last) == (date(2026, 11, 1), date(2026, 11, 2))
    assert found.digest == bill(tmp_path, (tmp_path / "bill.csv").read_bytes()).digest


def test_a_foreign_form_is_read_as_its_layout_says(tmp_path: Path) -> None:
    form = layout(
        {"day": ["时间"], "model": ["模型"], "amount": ["应付金额"], "currency": None,
         "uncached_tokens": ["输入"], "cached_tokens": ["命中"], "output_tokens": ["输出"],
         "request_id": ["请求"]},
        currency="CNY", delimiter=";", decimal_mark=",", charges="negative",
        day_formats=["%Y年%m月%d日", "iso"], encoding="gb18030", skip_lines=2,
        models={"通义千问": "qwen3.5-flash"}, zone="Asia/Shanghai",
    )  # fmt: skip
    text = (
        "账单\n\n时间;模型;应付金额;输入;命中;输出;请求;其他\n"
        "2026年11月30日;通义千问;-1.234,5;1.000;24;;req-1;x\n"
        "2026-11-30T16:30:00Z;other;-1e-3;7;;3;;\n"
    )
    first, second = bill(tmp_path, text.encode("gb18030"), form).lines
    assert first == BillLine(
        4, date(2026, 11, 30), "qwen3.5-flash", Decimal("1234.5"), "CNY", "req-1",
        Tokens(input=1024, cached=24, output=0),
    )  # fmt: skip
    assert (second.day, second.amount, second.request_id) == (
        date(2026, 12, 1),
        Decimal("0.001"),
        None,
    )


@pytest.mark.parametrize(
    "head",
    ["user_id,utc_date,model,wallet_type,cost,currency\nu,20261130,deepseek-v3.2,paid,1.23,CNY\n",
     "user_id,start_time_iso,end_time_iso,model,wallet_type,cost,currency\n"
     "u,2026-11-30T00:00:00Z,2026-12-01T00:00:00Z,deepseek-v3.2,paid,1.23,CNY\n"],
)  # fmt: skip
def test_the_shipped_layout_reads_both_forms_of_its_provider(tmp_path: Path, head: str) -> None:
    form = load_layout(shipped("config") / "bills.yaml", "deepseek")
    (line,) = bill(tmp_path, "\ufeff" + head, form).lines
    assert (line.day, line.model) == (date(2026, 11, 30), "deepseek-v3.2")
    assert (line.amount, line.currency) == (Decimal("1.23"), "CNY")


def test_every_problem_is_told_at_once_with_line_and_column(tmp_path: Path) -> None:
    text = HEAD + (
        '2026-11-01,m,1.50,USD\n11/01/2026,m,one,USD\n2026-11-02,"a,b",1,Dollar\n2026-11-03,,1.5\n'
    )
    assert [(each.line, each.column, each.message) for each in problems(tmp_path, text)] == [
        (3, 1, "day: '11/01/2026' is no day of the form iso"),
        (3, 14, "amount: 'one' is no amount with '.' as decimal mark"),
        (4, 20, "currency: 'Dollar' is no currency of three letters"),
        (5, 12, "model: is empty"),
        (5, 16, "the cell of currency is missing"),
    ]


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        ("", "no amount"),
        ("1,23", "no amount"),
        ("NaN", "no amount"),
        ("Infinity", "no amount"),
        ("1e999", "over 100000000"),
        ("100000000", "over 100000000"),
        ("0.0000000000001", "more than 12 decimal places"),
        ("9" * 60, "no amount"),
        ("١", "no amount"),
    ],
)
def test_what_is_no_money_is_refused(tmp_path: Path, amount: str, said: str) -> None:
    (problem,) = problems(tmp_path, f'{HEAD}2026-11-01,m,"{amount}",USD\n')
    assert said in problem.message


def test_a_model_name_that_no_ledger_has_room_for_wants_to_be_mapped(tmp_path: Path) -> None:
    text = f"{HEAD}2026-11-01,{'m' * 51},1,USD\n"
    (problem,) = problems(tmp_path, text)
    assert "longer than 50 characters; bills.yaml has `models`" in problem.message
    (line,) = bill(tmp_path, text, layout(models={"m" * 51: "m"})).lines
    assert line.model == "m"


@pytest.mark.parametrize("tokens", ["-1", "1.5", "x"])
def test_what_is_no_number_of_tokens_is_refused(tmp_path: Path, tokens: str) -> None:
    form = layout({"output_tokens": ["out"]})
    text = f"day,model,amount,currency,out\n2026-11-01,m,1,USD,{tokens}\n"
    (problem,) = problems(tmp_path, text, form)
    assert (problem.line, problem.column) == (2, 20)


def test_a_column_that_is_not_there_is_named_with_the_nearest(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, "day,model,amout,currency\n2026-11-01,m,1,USD\n")
    assert str(problem).endswith(
        "bill.csv:1:1: no column is called 'amount', as bills.yaml says of 'amount'; the file has "
        "'day', 'model', 'amout', 'currency' (did you mean 'amout'?)"
    )


def test_a_bill_without_tokens_is_read_where_the_layout_has_columns_for_them(
    tmp_path: Path,
) -> None:
    form = layout({"input_tokens": ["in"], "cached_tokens": ["hit"], "output_tokens": ["out"]})
    (line,) = bill(tmp_path, HEAD + "2026-11-01,m,1,USD\n", form).lines
    assert (line.amount, line.tokens) == (Decimal(1), Tokens())


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        (b"", (1, 1), "no column"),
        (HEAD.encode(), (1, 1), "no lines"),
        (HEAD.encode() + b"2026-11-01,\xff,1,USD\n", (2, 12), "is not utf-8"),
        (HEAD.encode() + b'2026-11-01,"m,1,USD\n', (2, 1), "is no CSV"),
        (HEAD.encode() + b"2026-11-01," + b"m" * 20_000 + b",1,USD\n", (2, 1), "is no CSV"),
    ],
)
def test_a_broken_file_says_where(
    tmp_path: Path, text: bytes, place: tuple[int, int], said: str
) -> None:
    found = problems(tmp_path, text)
    assert (found[0].line, found[0].column) == place
    assert said in found[0].message


def test_only_the_first_problems_are_told(tmp_path: Path) -> None:
    assert len(problems(tmp_path, HEAD + "x,m,1,USD\n" * 300)) == 50


def test_a_file_that_is_not_there_or_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="cannot be read"):
        read_bill(tmp_path / "none.csv", layout(), lambda _: None)
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(bill_file.LARGEST_BYTES + 1)
    with pytest.raises(SetupError, match="may have 100000000"):
        read_bill(large, layout(), lambda _: None)


def test_reading_tells_how_far_it_is(tmp_path: Path) -> None:
    path = tmp_path / "bill.csv"
    path.write_text(HEAD + "2026-11-01,m,1,USD\n" * 7, "utf-8")
    told: list[int] = []
    read_bill(path, layout(), told.append)
    assert sum(told) == 7


def test_a_layout_without_a_currency_or_with_a_wrong_zone_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bills.yaml"
    file.write_text(
        "factories:\n  f:\n    zone: Mars\n    columns: {day: [d], amount: [a], modle: [m]}\n"
        "  g:\n    columns: {day: [d], amount: [a]}\n",
        "utf-8",
    )
    with pytest.raises(ConfigError) as caught:
        load_layout(file, "f")
    told = [str(each) for each in caught.value.problems]
    assert len(told) == 3
    assert "bills.yaml:3:11" in told[0]
    assert "did you mean 'model'" in told[1]
    assert "currency is missing" in told[2]


def test_a_factory_without_a_layout_takes_the_default_or_is_refused(tmp_path: Path) -> None:
    assert load_layout(shipped("config") / "bills.yaml", "nobody").columns.amount == ("amount",)
    file = tmp_path / "bills.yaml"
    file.write_text("factories: {}\n", "utf-8")
    with pytest.raises(SetupError, match="no layout for bills of 'nobody'"):
        load_layout(file, "nobody")
